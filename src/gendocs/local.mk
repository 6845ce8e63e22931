# The top layer: documents made from the tables of all programs.
# Manual pages and bash completion, written by gen_docs and committed.
GENERATED_MANS = man/ib_send_bw.1 man/ib_send_lat.1 man/ib_write_bw.1 man/ib_write_lat.1 \
	man/ib_read_bw.1 man/ib_read_lat.1 man/ib_atomic_bw.1 man/ib_atomic_lat.1 man/cmtime.1 man/qperf.1 man/perftest.7
COMPLETION = scripts/perftest-completion.bash
dist_man_MANS += $(GENERATED_MANS)
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = $(COMPLETION)
EXTRA_DIST += tests/check_manuals

noinst_PROGRAMS += gen_docs
gen_docs_SOURCES = src/gendocs/gen_docs.h src/gendocs/gen_docs.c src/gendocs/gen_man.c src/gendocs/gen_roff.c \
	src/gendocs/gen_overview.c src/gendocs/gen_completion.c src/params/page.h src/params/manual.h src/params/manual.c
# The pages of programs with tables of their own: nothing but their tables is linked.
gen_docs_LDADD = src/cmtime/libcmtime.a src/qperf/libqperf.a src/params/libparams.a src/traffic/libtraffic.a src/util/libutil.a -lm

# Writes all of them below the folder $$top.
WRITE_DOCS = for page in $(GENERATED_MANS); do \
		./gen_docs man "$$(basename "$${page%.*}")" >"$$top/$$page" || exit 1; \
	done; \
	./gen_docs completion >"$$top/$(COMPLETION)"

generate: gen_docs
	@top=$(srcdir); mkdir -p "$$top/man"; $(WRITE_DOCS)

check-generated: gen_docs
	@top=$$(mktemp -d) && trap 'rm -rf "$$top"' EXIT && mkdir "$$top/man" "$$top/scripts" && { $(WRITE_DOCS); } && \
	for file in $(GENERATED_MANS) $(COMPLETION); do \
		diff -u $(srcdir)/$$file "$$top/$$file" || stale=yes; \
	done; \
	test -z "$$stale" || { echo "stale: run \"make generate\" and commit"; exit 1; }

# bash-completion looks for a file named as the command.
install-data-hook:
	cd $(DESTDIR)$(bashcompletiondir) && \
	for program in $(bin_PROGRAMS); do $(LN_S) -f perftest-completion.bash "$$program" || exit 1; done

uninstall-hook:
	cd $(DESTDIR)$(bashcompletiondir) && rm -f $(bin_PROGRAMS)

.PHONY: generate check-generated
