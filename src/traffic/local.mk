# The traffic layer: transports, and which side does what in a test.
noinst_LIBRARIES += src/traffic/libtraffic.a
src_traffic_libtraffic_a_SOURCES = src/traffic/traffic.h src/traffic/traffic.c src/traffic/transport.h src/traffic/transport.c \
	src/traffic/payload_limit.h src/traffic/payload_limit.c \
	src/traffic/sweep.c

if HAVE_CMOCKA
check_PROGRAMS += test_traffic test_payload_limit
test_traffic_SOURCES = tests/unit/test_traffic.c
test_traffic_LDADD = src/traffic/libtraffic.a $(CMOCKA_LIBS)
test_payload_limit_SOURCES = tests/unit/test_payload_limit.c
test_payload_limit_LDADD = src/traffic/libtraffic.a $(CMOCKA_LIBS) -lm
endif
