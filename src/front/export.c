// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The JSON document of `perftest matrix` (docs/schema.json). */
#include <math.h>
#include <string.h>

#include "front/result.h"
#include "report/envelope.h"
#include "util/exit_status.h"

static const char *const kind_names[] = {"client", "server", "link"};

static json_t *share_json(double share)
{
	return isfinite(share) ? json_real(share) : json_null();
}

static json_t *hosts_json(const struct result *result)
{
	json_t *hosts = json_array();

	for (unsigned i = 0; i < result->num_hosts; i++) {
		const struct result_host *host = &result->hosts[i];

		json_array_append_new(hosts, json_pack("{s:o, s:o, s:o}", "name", envelope_text(host->name), "address",
						       envelope_text(host->address[0] ? host->address : NULL), "lost",
						       envelope_text(host->lost[0] ? host->lost : NULL)));
	}
	return hosts;
}

static json_t *findings_json(const struct result *result)
{
	json_t *findings = json_array();
	char text[RESULT_TEXT_SIZE];

	for (unsigned i = 0; i < result->verdict.num_findings; i++) {
		const struct result_named *named = &result->named[i];
		const struct verdict_finding *finding = &named->finding;

		json_array_append_new(
			findings,
			json_pack(
				"{s:s, s:o, s:o, s:f, s:o, s:b, s:i, s:i, s:o}", "kind", kind_names[finding->kind],
				"client", finding->kind == VERDICT_SERVER ? json_null() : json_integer(finding->client),
				"server", finding->kind == VERDICT_CLIENT ? json_null() : json_integer(finding->server),
				"share", finding->share, "share_alone", share_json(named->alone), "named",
				!named->cleared, "slow_pairs", (int)finding->slow, "pairs", (int)finding->pairs, "text",
				envelope_text(result_describe(result, named, text))));
	}
	return findings;
}

static json_t *pair_json(const struct result *result, unsigned client, unsigned server)
{
	const struct result_cell *cell = result_cell(result, client, server);
	const bool measured = cell->state == RESULT_OK;
	json_t *measurement = cell->measurement ? json_loads(cell->measurement, 0 /* no flags */, NULL) : NULL;

	/* It is a host's word: whatever it is, only an object is one. */
	if (!json_is_object(measurement)) {
		json_decref(measurement);
		measurement = json_null();
	}
	return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "kind", "result", "client", (int)client, "server",
			 (int)server, "value", measured ? json_real(cell->value) : json_null(), "share",
			 measured ? share_json(result_speed(result, cell->value) / result->verdict.level) : json_null(),
			 "failure", envelope_text(measured ? NULL : cell->reason), "missed_limit",
			 envelope_text(measured ? cell->reason : NULL), "measurement", measurement);
}

static void matrix_put(const struct result *result, struct envelope *envelope)
{
	const struct matrix_params *params = result->params;
	const struct figure_kind *figure = result->figure;
	json_t *options = json_array();

	for (unsigned i = 0; i < params->program.num_options; i++)
		json_array_append_new(options, envelope_text(params->program.options[i]));
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:s, s:i, s:f, s:i, s:i}", "pattern", params->pairing->name, "parallel",
				      (int)params->parallel, "min_share", params->min_share, "join_timeout",
				      (int)params->join_timeout_s, "limit", (int)params->limit_s));
	envelope_put_member(envelope, "matrix",
			    json_pack("{s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "program",
				      params->program.name, "options", options, "launcher",
				      envelope_text(params->launcher), "rounds", (int)result->rounds, "figure",
				      envelope_text(figure ? figure->key : NULL), "lower_is_best",
				      figure ? json_boolean(figure->lower_is_best) : json_null(), "usual",
				      figure ? share_json(result_usual(result)) : json_null(), "spread",
				      json_real(result->verdict.spread), "limit", json_real(result->verdict.limit),
				      "hosts", hosts_json(result), "findings", findings_json(result)));
}

const char *export_status_word(int status)
{
	return status == EXIT_STATUS_OK		   ? "complete"
	       : status == EXIT_STATUS_LIMIT	   ? "below limit"
	       : status == EXIT_STATUS_INTERRUPTED ? "interrupted"
						   : "failed";
}

int export_write(const struct result *result, struct envelope *envelope)
{
	const int status = result_status(result);
	char text[RESULT_TEXT_SIZE] = "some pairs could not be measured";
	json_t *missed = json_array();

	matrix_put(result, envelope);
	envelope_begin_measurements(envelope);
	for (unsigned client = 0; client < result->num_hosts; client++)
		for (unsigned server = 0; server < result->num_hosts; server++)
			if (result_cell(result, client, server)->state != RESULT_NONE)
				envelope_put_measurement(envelope, pair_json(result, client, server));
	envelope_end_measurements(envelope);
	for (unsigned i = result->verdict.num_findings; i-- > 0;)
		if (!result->named[i].cleared)
			json_array_insert_new(missed, 0,
					      envelope_text(result_describe(result, &result->named[i], text)));
	if (result_missed(result)) {
		snprintf(text, sizeof(text), "pairs whose program missed a limit of its own: %zu",
			 result_missed(result));
		json_array_append_new(missed, envelope_text(text));
	}
	envelope_put_member(envelope, "missed_limits", missed);
	if (status == EXIT_STATUS_FAILURE)
		snprintf(text, sizeof(text), "some pairs could not be measured");
	else if (status == EXIT_STATUS_INTERRUPTED)
		snprintf(text, sizeof(text), "stopped by the user");
	return envelope_end(envelope, export_status_word(status), status == EXIT_STATUS_OK ? NULL : text);
}
