# The life layer: the order of a program.
noinst_LIBRARIES += src/life/liblife.a
src_life_liblife_a_SOURCES = src/life/life.c src/life/life.h \
	src/life/pair.c src/life/pair.h

if HAVE_CMOCKA
check_PROGRAMS += test_life
test_life_SOURCES = tests/unit/test_life.c
test_life_LDADD = src/life/liblife.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/util/libutil.a $(CMOCKA_LIBS) -lm
endif
