# The commands of `perftest`.
noinst_LIBRARIES += src/front/libfront.a
src_front_libfront_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
src_front_libfront_a_SOURCES = \
	src/front/command.h \
	src/front/front.h src/front/front.c \
	src/front/merge.c \
	src/front/pairing.h src/front/pairing.c \
	src/front/run.c \
	src/front/sibling.h src/front/sibling.c \
	src/front/verdict.h src/front/verdict.c

if HAVE_CMOCKA
check_PROGRAMS += test_pairing test_verdict
test_pairing_SOURCES = tests/unit/test_pairing.c
test_pairing_LDADD = src/front/libfront.a $(CMOCKA_LIBS)
test_verdict_SOURCES = tests/unit/test_verdict.c tests/unit/random_numbers.h
test_verdict_LDADD = src/front/libfront.a $(CMOCKA_LIBS) -lm
endif
