# The net layer: addresses, a server's port, buffered connections, tables of messages. Depends on util, and on the types of stats.
noinst_LIBRARIES += src/net/libnet.a
src_net_libnet_a_SOURCES = \
	src/net/address.c src/net/address.h \
	src/net/channel.c src/net/channel.h \
	src/net/codec.c src/net/codec.h \
	src/net/conn.c src/net/conn.h \
	src/net/listener.c src/net/listener.h \
	src/net/message.c src/net/message_conn.c src/net/message.h \
	src/net/pending.c src/net/pending.h \
	src/net/star.c src/net/star.h \
	src/net/tcp.c src/net/tcp.h \
	src/net/wakeup.c src/net/wakeup.h

if HAVE_CMOCKA
NET_TEST_LIBS = src/net/libnet.a src/util/libutil.a $(CMOCKA_LIBS)
check_PROGRAMS += test_address test_channel test_codec test_conn test_pending test_star
test_address_SOURCES = tests/unit/test_address.c
test_address_LDADD = $(NET_TEST_LIBS)
test_channel_SOURCES = tests/unit/test_channel.c
test_channel_LDADD = $(NET_TEST_LIBS)
test_codec_SOURCES = tests/unit/test_codec.c
test_codec_LDADD = $(NET_TEST_LIBS)
test_conn_SOURCES = tests/unit/test_conn.c
test_conn_LDADD = $(NET_TEST_LIBS)
test_pending_SOURCES = tests/unit/test_pending.c
test_pending_LDADD = $(NET_TEST_LIBS)
test_star_SOURCES = tests/unit/test_star.c
test_star_LDADD = $(NET_TEST_LIBS)
endif
