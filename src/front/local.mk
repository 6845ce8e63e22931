# The commands of `perftest`.
noinst_LIBRARIES += src/front/libfront.a
src_front_libfront_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
src_front_libfront_a_SOURCES = \
	src/front/command.h \
	src/front/front.h src/front/front.c \
	src/front/merge.c \
	src/front/run.c \
	src/front/sibling.h src/front/sibling.c
