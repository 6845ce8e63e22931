# A stand-in for libibumad, and a program that joins groups by the real one.
if HAVE_UMAD
check_LTLIBRARIES += tests/umad/libibumad.la
tests_umad_libibumad_la_SOURCES = tests/umad/umad.c
tests_umad_libibumad_la_LDFLAGS = $(AM_LDFLAGS) -version-info 3:0:0 -shared -rpath /nowhere
check_PROGRAMS += sa_client
sa_client_SOURCES = tests/umad/sa_client.c
sa_client_LDADD = src/verbs/libverbs.a src/util/libutil.a -ldl
else
EXTRA_DIST += tests/umad/umad.c tests/umad/sa_client.c
endif
