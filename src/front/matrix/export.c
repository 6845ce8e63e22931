// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What `perftest matrix` puts out for programs, each pair as soon as it is over: JSON (docs/schema.json) and CSV. */
#include <math.h>
#include <string.h>

#include "front/command.h"
#include "front/matrix/result.h"
#include "report/envelope.h"
#include "util/log.h"

static const char *const kind_names[] = {"client", "server", "link"};

/* What a row or a column of the table is: a host, or an adapter of it. */
static json_t *hosts_json(const struct result *result)
{
	json_t *hosts = json_array();

	for (unsigned i = 0; i < result->num_adapters; i++) {
		const struct result_host *host = &result->hosts[result_rank(result, i)];

		json_array_append_new(hosts, json_pack("{s:o, s:o, s:o}", "name", envelope_text(result_name(result, i)),
						       "address", envelope_known(host->address), "lost",
						       envelope_known(host->lost)));
	}
	return hosts;
}

static json_t *findings_json(const struct result *result)
{
	json_t *findings = json_array();
	char text[RESULT_TEXT_SIZE];

	for (unsigned i = 0; i < result->num_named; i++) {
		const struct result_named *named = &result->named[i];
		const struct verdict_finding *finding = &named->finding;

		json_array_append_new(
			findings,
			json_pack(
				"{s:s, s:s, s:o, s:o, s:o, s:f, s:o, s:b, s:i, s:i, s:o}", "kind",
				kind_names[finding->kind], "of",
				named->subject == RESULT_LOSS ? "retransmissions" : "figure", "percentile",
				result_is_tail(named) ? json_real(figure_tails[named->subject - 1]) : json_null(),
				"client", finding->kind == VERDICT_SERVER ? json_null() : json_integer(finding->client),
				"server", finding->kind == VERDICT_CLIENT ? json_null() : json_integer(finding->server),
				"share", finding->share, "share_alone", envelope_number(named->alone), "named",
				!named->cleared, "slow_pairs", (int)finding->slow, "pairs", (int)finding->pairs, "text",
				envelope_text(result_describe(result, named, text))));
	}
	return findings;
}

/* It is a host's word: whatever it is, only an object is one. */
static json_t *document_json(const struct result_cell *cell)
{
	json_t *document = cell->document ? json_loads(cell->document, 0 /* no flags */, NULL) : NULL;

	if (json_is_object(document))
		return document;
	json_decref(document);
	return json_null();
}

void export_pair(const struct result *result, struct envelope *envelope, unsigned client, unsigned server)
{
	const struct result_cell *cell = result_cell(result, client, server);
	const bool measured = cell->state == RESULT_OK;

	envelope_put_measurement(
		envelope,
		json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", "result", "client", (int)client,
			  "server", (int)server, "client_name", envelope_text(result_name(result, client)),
			  "server_name", envelope_text(result_name(result, server)), "value",
			  measured ? json_real(cell->value) : json_null(), "failure",
			  envelope_text(measured ? NULL : cell->reason), "sent_again",
			  measured && cell->sendings > 0 ? json_real(1 - 1 / cell->sendings) : json_null(),
			  "missed_limit", envelope_text(measured ? cell->reason : NULL), "document",
			  document_json(cell)));
}

/* --- CSV --- */

void export_csv_heading(const struct result *result, FILE *out)
{
	fprintf(out, "client,server,figure,value,failure,missed_limit%s\n", result->params->every_s ? ",began" : "");
	fflush(out);
}

/* As RFC 4180 has it. */
static void csv_text(const char *before, const char *text, FILE *out)
{
	fprintf(out, "%s\"", before);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void export_csv_pair(const struct result *result, unsigned client, unsigned server, FILE *out)
{
	const struct result_cell *cell = result_cell(result, client, server);
	const bool measured = cell->state == RESULT_OK;
	char began[RESULT_BEGAN_SIZE];

	csv_text("", result_name(result, client), out);
	csv_text(",", result_name(result, server), out);
	if (measured)
		fprintf(out, ",%s,%.15g", result->figure->key, cell->value / result->figure->to_si);
	else
		fputs(",,", out);
	csv_text(",", measured ? "" : cell->reason, out);
	csv_text(",", measured ? cell->reason : "", out);
	fprintf(out, "%s\n", result_began(result, ",", began));
	fflush(out);
}

void export_report(const struct result *result)
{
	char text[RESULT_TEXT_SIZE];

	failures_print(result, NULL);
	for (unsigned i = 0; i < result->num_named; i++)
		if (!result->named[i].cleared)
			command_sentence(NULL, "%s: %s", result_word(&result->named[i]),
					 result_describe(result, &result->named[i], text));
}

/* --- around the pairs --- */

void export_begin(const struct result *result, struct envelope *envelope)
{
	const struct matrix_params *params = result->params;

	envelope_begin(envelope, "perftest", "host", "matrix");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:s, s:i, s:f, s:i, s:i}", "pattern", params->pairing->name, "parallel",
				      (int)params->parallel, "min_share", params->min_share, "join_timeout",
				      (int)params->join_timeout_s, "limit", (int)params->limit_s));
	envelope_begin_measurements(envelope);
}

/* Of the pairs of a step; null: there is none with several. */
static json_t *together_json(const struct result_together *together)
{
	if (!together->steps)
		return json_null();
	return json_pack("{s:i, s:f, s:f, s:f}", "steps", (int)together->steps, "least", together->least, "median",
			 together->median, "most", together->most);
}

static void matrix_put(const struct result *result, struct envelope *envelope)
{
	const struct matrix_params *params = result->params;
	const struct figure_kind *figure = result->figure;
	json_t *options = json_array();

	for (unsigned i = 0; i < params->program.num_options; i++)
		json_array_append_new(options, envelope_text(params->program.options[i]));
	envelope_put_member(envelope, "matrix",
			    json_pack("{s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
				      "program", params->program.name, "options", options, "launcher",
				      envelope_text(params->launcher), "rounds", (int)result->rounds, "figure",
				      envelope_text(figure ? figure->key : NULL), "lower_is_best",
				      figure ? json_boolean(figure->lower_is_best) : json_null(), "usual",
				      figure ? envelope_number(result_usual(result)) : json_null(), "spread",
				      json_real(result->verdicts[0].spread), "host_limit",
				      json_real(result->verdicts[0].host_limit), "link_limit",
				      json_real(result->verdicts[0].link_limit), "together",
				      together_json(&result->together), "start_spread_seconds",
				      result->spread_ns ? json_real((double)result->spread_ns / 1e9) : json_null(),
				      "hosts", hosts_json(result), "findings", findings_json(result)));
}

int export_end(const struct result *result, struct envelope *envelope)
{
	char text[RESULT_TEXT_SIZE];

	envelope_end_measurements(envelope);
	envelope->missed_limits = json_array();
	matrix_put(result, envelope);
	for (unsigned i = result->num_named; i-- > 0;)
		if (!result->named[i].cleared)
			json_array_insert_new(envelope->missed_limits, 0,
					      envelope_text(result_describe(result, &result->named[i], text)));
	if (result_missed(result)) {
		snprintf(text, sizeof(text), "pairs whose program missed a limit of its own: %zu",
			 result_missed(result));
		json_array_append_new(envelope->missed_limits, envelope_text(text));
	}
	return command_end(envelope, result_status(result), text, "some pairs could not be measured");
}
