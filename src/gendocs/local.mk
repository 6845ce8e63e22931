# The top layer: documents made from the tables of all programs.
# Manual pages and completion, written by gen_docs and committed.
GENERATED_MANS = man/ib_send_bw.1 man/ib_send_lat.1 man/ib_write_bw.1 man/ib_write_lat.1 \
	man/ib_read_bw.1 man/ib_read_lat.1 man/ib_atomic_bw.1 man/ib_atomic_lat.1 man/raw_ethernet_bw.1 man/raw_ethernet_lat.1 man/raw_ethernet_burst_lat.1 man/raw_ethernet_fs_rate.1 man/cmtime.1 man/cxi_send_bw.1 man/qperf.1 man/perftest.7
COMPAT = docs/perftest-compat.md
COMPLETION = scripts/perftest-completion.bash
COMPLETIONS = $(COMPLETION) scripts/_perftest scripts/perftest-completion.fish
dist_man_MANS += $(GENERATED_MANS)
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = $(COMPLETION)
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = scripts/_perftest
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = scripts/perftest-completion.fish
EXTRA_DIST += tests/check_manuals src/gendocs/completion.bash src/gendocs/completion.zsh src/gendocs/completion.fish

noinst_PROGRAMS += gen_docs
gen_docs_SOURCES = src/gendocs/gen_docs.h src/gendocs/gen_docs.c src/gendocs/gen_man.c \
	src/gendocs/gen_overview.c src/gendocs/gen_completion.c src/gendocs/gen_compat.c src/gendocs/classic_options.h src/params/engine/page.h src/params/manual.c
# The pages of programs with tables of their own: nothing but their tables is linked.
gen_docs_LDADD = src/front/libfront.a src/cmtime/libcmtime.a src/cxi/libcxi_send_bw.a src/qperf/libqperf.a src/params/libparams.a src/traffic/libtraffic.a src/util/libutil.a -lm

if HAVE_CMOCKA
check_PROGRAMS += test_advice
test_advice_SOURCES = tests/unit/test_advice.c tests/unit/advice_words.h
test_advice_LDADD = src/explain/libexplain.a src/doctor/libdoctor.a src/report/libreport.a $(gen_docs_LDADD) src/stats/libstats.a src/util/libutil.a $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
endif

# Writes all of them below the folder $$top.
WRITE_DOCS = for page in $(GENERATED_MANS); do \
		./gen_docs man "$$(basename "$${page%.*}")" >"$$top/$$page" || exit 1; \
	done; \
	{ cat $(srcdir)/src/gendocs/completion.bash && ./gen_docs completion bash; } >"$$top/$(COMPLETION)" && \
	{ ./gen_docs completion zsh && cat $(srcdir)/src/gendocs/completion.zsh; } >"$$top/scripts/_perftest" && \
	{ cat $(srcdir)/src/gendocs/completion.fish && ./gen_docs completion fish; } >"$$top/scripts/perftest-completion.fish" && \
	./gen_docs compat >"$$top/$(COMPAT)"

generate: gen_docs
	@top=$(srcdir); mkdir -p "$$top/man"; $(WRITE_DOCS)

check-generated: gen_docs
	@top=$$(mktemp -d) && trap 'rm -rf "$$top"' EXIT && mkdir "$$top/man" "$$top/scripts" "$$top/docs" && { $(WRITE_DOCS); } && \
	for file in $(GENERATED_MANS) $(COMPLETIONS) $(COMPAT); do \
		diff -u $(srcdir)/$$file "$$top/$$file" || stale=yes; \
	done; \
	test -z "$$stale" || { echo "stale: run \"make generate\" and commit"; exit 1; }

# What linux-rdma perftest called them once; NEW:OLD.
OLD_NAMES = raw_ethernet_bw:raw_ethernet_send_bw raw_ethernet_lat:raw_ethernet_send_lat
FORMER_NAMES = raw_ethernet_send_bw raw_ethernet_send_lat

install-exec-hook:
	cd "$(DESTDIR)$(bindir)" && \
	for name in $(PROGRAM_LINKS) $(FORMER_NAMES); do $(LN_S) -f perftest "$$name" || exit 1; done

# bash-completion and fish look for a file named as the command.
COMPLETED = $(bin_PROGRAMS) $(PROGRAM_LINKS) $(FORMER_NAMES) run_soft run_perftest_loopback krping_run
install-data-hook:
	cd "$(DESTDIR)$(docdir)" && sed -i 's|=/usr/bin/\([a-z]*\)|="$(bindir)/\1"|' qperf.service perftest.service
	cd "$(DESTDIR)$(mandir)/man1" && \
	for name in $(OLD_NAMES); do $(LN_S) -f "$${name%:*}.1" "$${name#*:}.1" || exit 1; done
	cd "$(DESTDIR)$(bashcompletiondir)" && \
	for name in $(COMPLETED); do $(LN_S) -f perftest-completion.bash "$$name" || exit 1; done
	cd "$(DESTDIR)$(fishcompletiondir)" && \
	for name in $(COMPLETED); do $(LN_S) -f perftest-completion.fish "$$name.fish" || exit 1; done

uninstall-hook:
	cd "$(DESTDIR)$(bindir)" && rm -f $(PROGRAM_LINKS) $(FORMER_NAMES)
	cd "$(DESTDIR)$(mandir)/man1" && rm -f $(FORMER_NAMES:=.1)
	cd "$(DESTDIR)$(bashcompletiondir)" && rm -f $(COMPLETED)
	cd "$(DESTDIR)$(fishcompletiondir)" && rm -f $(COMPLETED:=.fish)
	rm -f "$(DESTDIR)$(pkglibdir)"/libperftest_soft.* # which libtool leaves below a folder with a blank

.PHONY: generate check-generated
