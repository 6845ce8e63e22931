# The session layer: the order of a test.
noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES = src/session/agree.c src/session/choices.c src/session/configure.c src/session/facts.c src/session/inspect.c \
	src/session/measure.c src/session/placement.c src/session/rounds.c src/session/rows.c src/session/session.c \
	src/session/session.h src/session/site.c \
	src/session/state.h src/session/wait.c src/session/warm_up.c

if HAVE_CMOCKA
check_PROGRAMS += test_site
test_site_SOURCES = tests/unit/test_site.c src/session/site.c
test_site_LDADD = src/verbs/libverbs.a src/memory/libmemory.a src/params/libparams.a src/traffic/libtraffic.a src/util/libutil.a $(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS)
endif
