# The comm layer.
noinst_LIBRARIES += src/comm/libcomm.a
src_comm_libcomm_a_SOURCES = \
	src/comm/conversation.h \
	src/comm/native.c \
	src/comm/perftest_communication.c \
	src/comm/perftest_communication.h \
	src/comm/stream.c \
	src/comm/stream.h \
	src/comm/tcp.c \
	src/comm/tcp.h \
	src/comm/wire.c \
	src/comm/wire.h \
	src/comm/wire_classic.c \
	src/comm/wire_native.c

if HAVE_CMOCKA
check_PROGRAMS += test_comm
test_comm_SOURCES = tests/unit/test_comm.c
test_comm_LDADD = src/comm/libcomm.a src/util/libutil.a $(CMOCKA_LIBS)
endif
