# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_verbs_libverbs_a_SOURCES = \
	src/verbs/verbs_config.h src/verbs/perftest_resources.h src/verbs/perftest_resources.c \
	src/verbs/queue.h src/verbs/queue.c \
	src/verbs/cm.h src/verbs/cm.c src/verbs/cm_address.c \
	src/verbs/cm_connect.c src/verbs/cm_step.h src/verbs/cm_step.c src/verbs/connector.h \
	src/verbs/demand.c src/verbs/demand.h \
	src/verbs/device.h src/verbs/device.c src/verbs/resources.h \
	src/verbs/host_page.h src/verbs/host_page.c \
	src/verbs/gid.h src/verbs/gid.c src/verbs/gid_form.h src/verbs/gid_form.c \
	src/verbs/gid_pair.h src/verbs/gid_pair.c \
	src/verbs/mtu.h \
	src/verbs/mr.h src/verbs/mr.c \
	src/verbs/completion.h src/verbs/completion.c \
	src/verbs/places.h src/verbs/places.c \
	src/verbs/cq.h src/verbs/cq.c \
	src/verbs/event.h src/verbs/event.c \
	src/verbs/hardware.h src/verbs/hardware.c \
	src/verbs/locked_memory.h src/verbs/locked_memory.c \
	src/verbs/presence.h src/verbs/presence.c \
	src/verbs/provider.h src/verbs/provider.c \
	src/verbs/qp.h src/verbs/qp.c \
	src/verbs/rate.h src/verbs/rate.c \
	src/verbs/soft_preload.h src/verbs/soft_preload.c \
	src/verbs/software.h \
	src/verbs/route.h src/verbs/route.c \
	src/verbs/view.h src/verbs/view.c \
	src/verbs/wr.h src/verbs/wr.c

if HAVE_CMOCKA
check_PROGRAMS += test_cm test_completion test_gid test_presence test_work_requests
test_cm_SOURCES = tests/unit/test_cm.c
test_cm_LDADD = src/verbs/libverbs.a src/util/libutil.a $(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS)
test_completion_SOURCES = tests/unit/test_completion.c
test_completion_LDADD = src/verbs/libverbs.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_device
test_device_SOURCES = tests/unit/test_device.c
test_device_LDADD = src/verbs/libverbs.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_hardware
test_hardware_SOURCES = tests/unit/test_hardware.c
test_hardware_LDADD = src/verbs/libverbs.a src/util/libutil.a $(CMOCKA_LIBS)
check_PROGRAMS += test_provider
test_provider_SOURCES = tests/unit/test_provider.c
test_provider_LDADD = src/verbs/libverbs.a $(CMOCKA_LIBS)
check_PROGRAMS += test_buffers
test_buffers_SOURCES = tests/unit/test_buffers.c
test_buffers_LDADD = src/verbs/libverbs.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
test_gid_SOURCES = tests/unit/test_gid.c
test_gid_LDADD = src/verbs/libverbs.a src/util/libutil.a $(CMOCKA_LIBS)
test_presence_SOURCES = tests/unit/test_presence.c
test_presence_LDADD = src/verbs/libverbs.a src/util/libutil.a $(CMOCKA_LIBS)
test_work_requests_SOURCES = tests/unit/test_work_requests.c
test_work_requests_LDADD = src/verbs/libverbs.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
endif
