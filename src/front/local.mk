# The commands of `perftest`.
noinst_LIBRARIES += src/front/libfront.a
src_front_libfront_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
src_front_libfront_a_SOURCES = \
	src/front/batch.c \
	src/front/caller.h src/front/caller.c \
	src/front/report/chart.h src/front/report/chart.c \
	src/front/launch/child.h src/front/launch/child.c src/front/launch/ends.h src/front/launch/ends.c \
	src/front/command.h src/front/command.c \
	src/front/compare/compare.c \
	src/front/compare/comparison.h src/front/compare/comparison.c \
	src/front/matrix/crew.h src/front/matrix/crew.c \
	src/front/matrix/dispatch.h src/front/matrix/dispatch.c \
	src/front/report/distribution.h src/front/report/distribution.c \
	src/front/document_file.h src/front/document_file.c \
	src/front/matrix/export.c \
	src/front/matrix/failures.c \
	src/front/figure.h src/front/figure.c \
	src/front/front.c \
	src/front/matrix/heatmap.c \
	src/front/compare/gate.c \
	src/front/matrix/hostlist.h src/front/matrix/hostlist.c \
	src/front/matrix/hub.h src/front/matrix/hub.c \
	src/front/matrix/instance.c \
	src/front/compare/kept.c \
	src/front/matrix/matrix.h src/front/matrix/matrix.c \
	src/front/report/metrics.c \
	src/front/options.h src/front/options.c \
	src/front/outcome.h src/front/outcome.c \
	src/front/matrix/pairing.h src/front/matrix/pairing.c \
	src/front/report/pictures.c \
	src/front/matrix/place.h src/front/matrix/place.c \
	src/front/report/plots.c \
	src/front/launch/remote.h src/front/launch/remote.c \
	src/front/report/report.h src/front/report/report.c \
	src/front/matrix/result.h src/front/matrix/result.c \
	src/front/matrix/rounds.c \
	src/front/run.c \
	src/front/serve.c \
	src/front/sheet.h src/front/sheet.c \
	src/front/launch/sibling.h src/front/launch/sibling.c \
	src/front/launch/ssh.c \
	src/front/matrix/suspects.c \
	src/front/launch/trial.c \
	src/front/matrix/verdict.h src/front/matrix/verdict.c \
	src/front/verify.h src/front/verify.c \
	src/front/verify_print.c

if HAVE_CMOCKA
check_PROGRAMS += test_caller test_comparison test_dispatch test_heatmap test_hostlist test_pairing test_place test_result test_suspects test_verdict
test_caller_SOURCES = tests/unit/test_caller.c tests/unit/random_numbers.h tests/unit/wire_message.h
test_caller_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
test_comparison_SOURCES = tests/unit/test_comparison.c tests/unit/random_numbers.h
test_comparison_LDADD = src/front/libfront.a src/report/libreport.a src/stats/libstats.a src/util/libutil.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_dispatch_SOURCES = tests/unit/test_dispatch.c tests/unit/random_numbers.h
test_dispatch_LDADD = src/front/libfront.a src/report/libreport.a src/net/libnet.a src/util/libutil.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_heatmap_SOURCES = tests/unit/test_heatmap.c tests/unit/terminal.h
test_heatmap_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
test_hostlist_SOURCES = tests/unit/test_hostlist.c
test_hostlist_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_pairing_SOURCES = tests/unit/test_pairing.c
test_pairing_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_place_SOURCES = tests/unit/test_place.c
test_place_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_result_SOURCES = tests/unit/test_result.c tests/unit/random_numbers.h
test_result_LDADD = src/front/libfront.a src/report/libreport.a src/util/libutil.a src/stats/libstats.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_suspects_SOURCES = tests/unit/test_suspects.c tests/unit/random_numbers.h
test_suspects_LDADD = src/front/libfront.a src/report/libreport.a src/util/libutil.a src/stats/libstats.a $(JANSSON_LIBS) $(CMOCKA_LIBS) -lm
test_verdict_SOURCES = tests/unit/test_verdict.c tests/unit/random_numbers.h
test_verdict_LDADD = src/front/libfront.a src/stats/libstats.a $(CMOCKA_LIBS) -lm
endif
