# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_verbs_libverbs_a_SOURCES = \
	src/verbs/ability.h src/verbs/ability.c \
	src/verbs/device/adapter.h src/verbs/device/adapter.c \
	src/verbs/device/async_event.h src/verbs/device/async_event.c \
	src/verbs/connect/cm.h src/verbs/connect/cm.c src/verbs/connect/cm_address.c src/verbs/connect/cm_ece.c \
	src/verbs/connect/cm_connect.c src/verbs/connect/cm_qp.h src/verbs/connect/cm_move.c src/verbs/connect/cm_step.c \
	src/verbs/qp/cq.c \
	src/verbs/qp/credit.h src/verbs/qp/credit.c \
	src/verbs/memory/data_direct.c \
	src/verbs/memory/demand.c src/verbs/memory/demand.h \
	src/verbs/device/device.h src/verbs/device/device.c src/verbs/device/device_inspect.c src/verbs/device/device_payload.c src/verbs/resources.h \
	src/verbs/device/device_diag.h src/verbs/device/device_diag.c \
	src/verbs/device/direct_library.h src/verbs/device/direct_library.c \
	src/verbs/work/ethernet.h src/verbs/work/ethernet.c src/verbs/qp/pace.h src/verbs/qp/pace.c \
	src/verbs/device/gid.h src/verbs/device/gid.c src/verbs/device/gid_form.h src/verbs/device/mtu.h \
	src/verbs/device/gid_pair.c \
	src/verbs/device/hardware.h src/verbs/device/hardware.c \
	src/verbs/device/host_page.h \
	src/verbs/device/locked_memory.h src/verbs/device/locked_memory.c \
	src/verbs/memory/mkey_file.c \
	src/verbs/memory/mr.h src/verbs/memory/mr.c \
	src/verbs/connect/multicast.c \
	src/verbs/connect/path.h src/verbs/connect/path.c \
	src/verbs/qp/rss.c \
	src/verbs/memory/slots.h src/verbs/memory/slots.c \
	src/verbs/provider/hns_qp.h src/verbs/provider/hns_qp.c \
	src/verbs/qp/qp.h src/verbs/qp/qp.c src/verbs/connect/qp_connect.c src/verbs/qp/qp_attr.h src/verbs/qp/qp_attr.c src/verbs/qp/qp_row.h src/verbs/qp/qp_row.c \
	src/verbs/maker.h \
	src/verbs/queue.h src/verbs/queue.c \
	src/verbs/device/route.h src/verbs/device/route.c \
	src/verbs/device/soft_preload.c src/verbs/device/software.c \
	src/verbs/connect/sa_member.h src/verbs/connect/sa_record.c \
	src/verbs/device/site.h src/verbs/device/site.c \
	src/verbs/device/software.h \
	src/verbs/qp/srq.c \
	src/verbs/verbs_config.h src/verbs/verbs_config.c src/verbs/perftest_resources.h src/verbs/perftest_resources.c \
	src/verbs/memory/tlp_hint.c \
	src/verbs/work/wc_status.h src/verbs/work/wc_status.c \
	src/verbs/work/wr.c

# DC and SRD: with the headers of mlx5 and EFA, or their refusal.
VERBS_DIRECT = src/verbs/provider/mlx5.h src/verbs/provider/mlx5.c src/verbs/provider/dc.c src/verbs/provider/srd.c \
	src/verbs/provider/mlx5_crypto.c
VERBS_NO_DIRECT = src/verbs/provider/direct_absent.c
if HAVE_DIRECT_VERBS
src_verbs_libverbs_a_SOURCES += $(VERBS_DIRECT)
EXTRA_DIST += $(VERBS_NO_DIRECT)
else
src_verbs_libverbs_a_SOURCES += $(VERBS_NO_DIRECT)
EXTRA_DIST += $(VERBS_DIRECT)
endif

# Multicast on InfiniBand: with libibumad's headers, or its refusal.
VERBS_SA = src/verbs/connect/sa_member.c
VERBS_NO_SA = src/verbs/connect/sa_absent.c
if HAVE_UMAD
src_verbs_libverbs_a_SOURCES += $(VERBS_SA)
EXTRA_DIST += $(VERBS_NO_SA)
else
src_verbs_libverbs_a_SOURCES += $(VERBS_NO_SA)
EXTRA_DIST += $(VERBS_SA)
endif

if HAVE_CMOCKA
check_PROGRAMS += test_sa_record
test_sa_record_SOURCES = tests/unit/test_sa_record.c
test_sa_record_LDADD = src/verbs/libverbs.a $(CMOCKA_LIBS)
check_PROGRAMS += test_cm test_wc_status test_gid test_device_probe test_work_requests
test_cm_SOURCES = tests/unit/test_cm.c
test_cm_LDADD = $(test_ethernet_qp_LDADD)
test_wc_status_SOURCES = tests/unit/test_wc_status.c
test_wc_status_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_device
test_device_SOURCES = tests/unit/test_device.c
test_device_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
if HAVE_DIRECT_VERBS
check_PROGRAMS += test_mkey
test_mkey_SOURCES = tests/unit/test_mkey.c
test_mkey_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_direct_library
test_direct_library_SOURCES = tests/unit/test_direct_library.c
test_direct_library_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm -ldl
endif
check_PROGRAMS += test_site
test_site_SOURCES = tests/unit/test_site.c
test_site_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_hardware
test_hardware_SOURCES = tests/unit/test_hardware.c
test_hardware_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += test_buffers
test_buffers_SOURCES = tests/unit/test_buffers.c
test_buffers_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_choices
test_choices_SOURCES = tests/unit/test_choices.c
test_choices_CPPFLAGS = $(AM_CPPFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_choices_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_ethernet_qp
test_ethernet_qp_SOURCES = tests/unit/test_ethernet_qp.c
test_ethernet_qp_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
check_PROGRAMS += test_cm_ece
test_cm_ece_SOURCES = tests/unit/test_cm_ece.c
test_cm_ece_LDADD = src/verbs/libverbs.a $(CMOCKA_LIBS)
check_PROGRAMS += test_rss
test_rss_SOURCES = tests/unit/test_rss.c
test_rss_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
test_gid_SOURCES = tests/unit/test_gid.c
test_gid_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS)
test_device_probe_SOURCES = tests/unit/test_device_probe.c
test_device_probe_LDADD = $(test_hardware_LDADD) $(IBVERBS_LIBS)
test_work_requests_SOURCES = tests/unit/test_work_requests.c
test_work_requests_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
endif
