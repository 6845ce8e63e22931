# The commands of `perftest`.
noinst_LIBRARIES += src/front/libfront.a
src_front_libfront_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
src_front_libfront_a_SOURCES = \
	src/front/batch.h src/front/batch.c \
	src/front/batch_file.h src/front/batch_file.c \
	src/front/caller.h src/front/caller.c \
	src/front/cell_table.h src/front/cell_table.c \
	src/front/chart.h src/front/chart.c \
	src/front/child.h src/front/child.c \
	src/front/command.h src/front/command.c \
	src/front/compare.c \
	src/front/comparison.h src/front/comparison.c \
	src/front/comparison_print.c \
	src/front/crew.h src/front/crew.c \
	src/front/dispatch.h src/front/dispatch.c \
	src/front/distribution.h src/front/distribution.c \
	src/front/document_file.h src/front/document_file.c \
	src/front/export.c \
	src/front/figure.h src/front/figure.c \
	src/front/front.h src/front/front.c \
	src/front/heatmap.c \
	src/front/gate.h src/front/gate.c \
	src/front/gate_print.c \
	src/front/hostlist.h src/front/hostlist.c \
	src/front/hub.h src/front/hub.c \
	src/front/instance.c \
	src/front/kept.c \
	src/front/matrix.h src/front/matrix.c \
	src/front/merge.c \
	src/front/nodes.h src/front/nodes.c \
	src/front/metrics.h src/front/metrics.c \
	src/front/options.c \
	src/front/other_side.c \
	src/front/outcome.h src/front/outcome.c \
	src/front/pairing.h src/front/pairing.c \
	src/front/pictures.c \
	src/front/place.h src/front/place.c \
	src/front/plots.c \
	src/front/pmix.h src/front/pmix.c \
	src/front/remote.h src/front/remote.c \
	src/front/report.h src/front/report.c \
	src/front/result.h src/front/result.c \
	src/front/rounds.c \
	src/front/run.c \
	src/front/serve.h src/front/serve.c \
	src/front/sheet.h src/front/sheet.c \
	src/front/sibling.h src/front/sibling.c \
	src/front/ssh.h src/front/ssh.c \
	src/front/suspects.h src/front/suspects.c \
	src/front/trial.h src/front/trial.c \
	src/front/verdict.h src/front/verdict.c \
	src/front/verify.h src/front/verify.c \
	src/front/verify_print.c

if HAVE_CMOCKA
check_PROGRAMS += test_caller test_dispatch test_heatmap test_hostlist test_pairing test_place test_result test_suspects test_verdict
test_caller_SOURCES = tests/unit/test_caller.c tests/unit/random_numbers.h
test_caller_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
test_dispatch_SOURCES = tests/unit/test_dispatch.c tests/unit/random_numbers.h
test_dispatch_LDADD = src/front/libfront.a src/net/libnet.a src/util/libutil.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_heatmap_SOURCES = tests/unit/test_heatmap.c tests/unit/terminal.h
test_heatmap_LDADD = src/front/libfront.a src/stats/libstats.a src/util/libutil.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_hostlist_SOURCES = tests/unit/test_hostlist.c
test_hostlist_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_pairing_SOURCES = tests/unit/test_pairing.c
test_pairing_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_place_SOURCES = tests/unit/test_place.c
test_place_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_result_SOURCES = tests/unit/test_result.c tests/unit/random_numbers.h
test_result_LDADD = src/front/libfront.a src/stats/libstats.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_suspects_SOURCES = tests/unit/test_suspects.c tests/unit/random_numbers.h
test_suspects_LDADD = src/front/libfront.a src/stats/libstats.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_verdict_SOURCES = tests/unit/test_verdict.c tests/unit/random_numbers.h
test_verdict_LDADD = src/front/libfront.a src/stats/libstats.a $(CMOCKA_LIBS) -lm
endif
