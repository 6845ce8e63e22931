# The explain layer: what both sides saw during a test, and why its figure is not what it could be.
noinst_LIBRARIES += src/explain/libexplain.a
src_explain_libexplain_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_explain_libexplain_a_SOURCES = \
	src/explain/causes.c \
	src/explain/cluster.c src/explain/cluster.h \
	src/explain/explain.c src/explain/explain.h \
	src/explain/explainer.c src/explain/explainer.h \
	src/explain/facts.c src/explain/facts.h \
	src/explain/watch.c src/explain/watch.h

if HAVE_CMOCKA
check_PROGRAMS += test_explain
test_explain_SOURCES = tests/unit/test_explain.c tests/unit/fake_ports.h
test_explain_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
test_explain_LDADD = src/explain/libexplain.a src/doctor/libdoctor.a src/net/libnet.a src/report/libreport.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/util/libutil.a $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
endif
