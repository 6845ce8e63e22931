# The frames layer: Ethernet frames and what stands in them. A leaf: libc only.
noinst_LIBRARIES += src/frames/libframes.a
src_frames_libframes_a_SOURCES = \
	src/frames/frame.c src/frames/frame.h

if HAVE_CMOCKA
check_PROGRAMS += test_frames test_mark
test_frames_SOURCES = tests/unit/test_frames.c
test_frames_LDADD = src/frames/libframes.a $(CMOCKA_LIBS)
test_mark_SOURCES = tests/unit/test_mark.c
test_mark_LDADD = src/frames/libframes.a $(CMOCKA_LIBS)
endif
