# The comm layer.
noinst_LIBRARIES += src/comm/libcomm.a
src_comm_libcomm_a_SOURCES = \
	src/comm/claim.c \
	src/comm/classic.c \
	src/comm/comm.h \
	src/comm/protocol.h \
	src/comm/greeting.c \
	src/comm/pending_client.c \
	src/comm/native.c \
	src/comm/perftest_communication.c \
	src/comm/perftest_communication.h \
	src/comm/rdma_cm.c \
	src/comm/cm_link.c \
	src/comm/cm_link.h \
	src/comm/wire.c \
	src/comm/wire.h \
	src/comm/wire_classic.c \
	src/comm/wire_native.c
EXTRA_DIST += docs/security.md docs/wire.md

if HAVE_CMOCKA
check_PROGRAMS += test_claim test_cm_keys test_cm_link test_comm test_comm_iwarp test_comm_listener test_comm_waits test_conversation test_wire
test_claim_SOURCES = tests/unit/test_claim.c
test_claim_LDADD = src/comm/libcomm.a src/util/libutil.a $(CMOCKA_LIBS)
test_cm_keys_SOURCES = tests/unit/test_cm_keys.c
test_cm_keys_LDADD = $(test_comm_LDADD)
test_cm_link_SOURCES = tests/unit/test_cm_link.c
test_cm_link_LDADD = $(test_comm_LDADD)
test_comm_SOURCES = tests/unit/test_comm.c tests/unit/comm_rig.h tests/unit/same_endpoints.h tests/unit/wire_message.h
test_comm_LDADD = src/comm/libcomm.a src/verbs/libverbs.a src/frames/libframes.a src/net/libnet.a src/util/libutil.a $(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS)
test_comm_iwarp_SOURCES = tests/unit/test_comm_iwarp.c tests/unit/comm_rig.h tests/unit/same_endpoints.h tests/unit/wire_message.h
test_comm_iwarp_LDADD = $(test_comm_LDADD)
test_comm_listener_SOURCES = tests/unit/test_comm_listener.c tests/unit/comm_rig.h tests/unit/same_endpoints.h tests/unit/wire_message.h
test_comm_listener_LDADD = $(test_comm_LDADD)
test_comm_waits_SOURCES = tests/unit/test_comm_waits.c tests/unit/comm_rig.h tests/unit/same_endpoints.h tests/unit/wire_message.h
test_comm_waits_LDADD = $(test_comm_LDADD)
test_conversation_SOURCES = tests/unit/test_conversation.c tests/fuzz/fuzz_conversation.c tests/fuzz/fuzz_conversation.h tests/fuzz/fuzz.h \
	tests/fuzz/corpus.h
test_conversation_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_conversation_LDADD = $(test_comm_LDADD)
test_wire_SOURCES = tests/unit/test_wire.c tests/fuzz/fuzz_wire.c tests/fuzz/fuzz.h tests/unit/same_endpoints.h tests/unit/wire_message.h
test_wire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_wire_LDADD = src/comm/libcomm.a src/net/libnet.a $(CMOCKA_LIBS)
endif

# `make fuzz_wire && ./fuzz_wire -max_total_time=60`; libFuzzer comes with clang only.
fuzz_wire: tests/fuzz/fuzz_wire.c src/comm/wire.c src/comm/wire_native.c src/comm/wire_classic.c src/net/codec.c \
		src/net/message.c
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $^ -lm
CLEANFILES += fuzz_wire

# Whole conversations; as above.
fuzz_conversation: tests/fuzz/fuzz_conversation.c $(src_comm_libcomm_a_SOURCES) src/verbs/libverbs.a src/frames/libframes.a src/net/libnet.a src/util/libutil.a
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I. -I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $(filter %.c,$^) $(filter %.a,$^) \
		$(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
CLEANFILES += fuzz_conversation
EXTRA_DIST += tests/fuzz/corpus/fuzz_conversation tests/fuzz/make_seeds
