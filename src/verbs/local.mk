# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_verbs_libverbs_a_SOURCES = \
	src/verbs/ability.h src/verbs/ability.c \
	src/verbs/async_event.h src/verbs/async_event.c \
	src/verbs/cm.h src/verbs/cm.c src/verbs/cm_address.c \
	src/verbs/cm_connect.c src/verbs/cm_ports.c src/verbs/cm_step.h src/verbs/cm_step.c src/verbs/connector.h \
	src/verbs/cq.h src/verbs/cq.c \
	src/verbs/demand.c src/verbs/demand.h \
	src/verbs/device.h src/verbs/device.c src/verbs/resources.h \
	src/verbs/device_probe.h src/verbs/device_probe.c \
	src/verbs/device_diag.h src/verbs/device_diag.c \
	src/verbs/efa.h \
	src/verbs/ethernet.h src/verbs/ethernet.c \
	src/verbs/frame_slots.h src/verbs/frame_slots.c \
	src/verbs/gid.h src/verbs/gid.c src/verbs/gid_form.h src/verbs/gid_form.c \
	src/verbs/gid_netdev.h src/verbs/gid_netdev.c \
	src/verbs/gid_pair.h src/verbs/gid_pair.c \
	src/verbs/hardware.h src/verbs/hardware.c \
	src/verbs/host_page.h src/verbs/host_page.c \
	src/verbs/locked_memory.h src/verbs/locked_memory.c \
	src/verbs/mr.h src/verbs/mr.c \
	src/verbs/mtu.h \
	src/verbs/path.h src/verbs/path.c \
	src/verbs/slots.h src/verbs/slots.c \
	src/verbs/provider.h src/verbs/provider.c \
	src/verbs/qp.h src/verbs/qp.c \
	src/verbs/queue.h src/verbs/queue.c \
	src/verbs/route.h src/verbs/route.c \
	src/verbs/soft_preload.h src/verbs/soft_preload.c \
	src/verbs/site.h src/verbs/site.c \
	src/verbs/software.h \
	src/verbs/srq.h src/verbs/srq.c \
	src/verbs/static_rate.h src/verbs/static_rate.c \
	src/verbs/verbs_config.h src/verbs/perftest_resources.h src/verbs/perftest_resources.c \
	src/verbs/wc_status.h src/verbs/wc_status.c \
	src/verbs/wr.h src/verbs/wr.c

if HAVE_CMOCKA
check_PROGRAMS += test_cm test_wc_status test_gid test_device_probe test_work_requests
test_cm_SOURCES = tests/unit/test_cm.c
test_cm_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS)
test_wc_status_SOURCES = tests/unit/test_wc_status.c
test_wc_status_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_device
test_device_SOURCES = tests/unit/test_device.c
test_device_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_site
test_site_SOURCES = tests/unit/test_site.c
test_site_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_hardware
test_hardware_SOURCES = tests/unit/test_hardware.c
test_hardware_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS)
check_PROGRAMS += test_provider
test_provider_SOURCES = tests/unit/test_provider.c
test_provider_LDADD = src/verbs/libverbs.a src/frames/libframes.a $(CMOCKA_LIBS)
check_PROGRAMS += test_buffers
test_buffers_SOURCES = tests/unit/test_buffers.c
test_buffers_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
test_gid_SOURCES = tests/unit/test_gid.c
test_gid_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS)
test_device_probe_SOURCES = tests/unit/test_device_probe.c
test_device_probe_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS)
test_work_requests_SOURCES = tests/unit/test_work_requests.c
test_work_requests_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
endif
