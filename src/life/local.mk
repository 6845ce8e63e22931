# The life layer: the order of a program.
noinst_LIBRARIES += src/life/liblife.a
src_life_liblife_a_SOURCES = src/life/life.c src/life/life.h
