# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
src_verbs_libverbs_a_SOURCES = \
	src/verbs/ability.h src/verbs/ability.c \
	src/verbs/adapter.h src/verbs/adapter.c \
	src/verbs/async_event.h src/verbs/async_event.c \
	src/verbs/cm.h src/verbs/cm.c src/verbs/cm_address.c src/verbs/cm_ece.h src/verbs/cm_ece.c \
	src/verbs/cm_connect.c src/verbs/cm_move.h src/verbs/cm_move.c src/verbs/cm_ports.c src/verbs/cm_step.h src/verbs/cm_step.c src/verbs/connector.h \
	src/verbs/cq.h src/verbs/cq.c src/verbs/cq_poll.h \
	src/verbs/credit.h src/verbs/credit.c \
	src/verbs/data_direct.c src/verbs/data_direct.h \
	src/verbs/demand.c src/verbs/demand.h \
	src/verbs/device.h src/verbs/device.c src/verbs/resources.h \
	src/verbs/device_probe.h src/verbs/device_probe.c \
	src/verbs/device_diag.h src/verbs/device_diag.c \
	src/verbs/direct_library.h src/verbs/direct_library.c \
	src/verbs/ethernet.h src/verbs/ethernet.c src/verbs/ethernet_qp.c src/verbs/pace.h src/verbs/pace.c \
	src/verbs/frame_slots.h src/verbs/frame_slots.c \
	src/verbs/gid.h src/verbs/gid.c src/verbs/gid_form.h src/verbs/gid_form.c \
	src/verbs/gid_netdev.h src/verbs/gid_netdev.c \
	src/verbs/gid_pair.h src/verbs/gid_pair.c \
	src/verbs/group_cm.h src/verbs/group_cm.c \
	src/verbs/hardware.h src/verbs/hardware.c \
	src/verbs/host_page.h src/verbs/host_page.c \
	src/verbs/locked_memory.h src/verbs/locked_memory.c \
	src/verbs/mkey.h src/verbs/mkey_file.c \
	src/verbs/mr.h src/verbs/mr.c \
	src/verbs/mtu.h \
	src/verbs/multicast.c \
	src/verbs/path.h src/verbs/path.c \
	src/verbs/port_speed.h src/verbs/port_speed.c \
	src/verbs/rss.h src/verbs/rss.c \
	src/verbs/slots.h src/verbs/slots.c \
	src/verbs/hns_qp.h src/verbs/hns_qp.c \
	src/verbs/qp.h src/verbs/qp.c src/verbs/qp_connect.c src/verbs/qp_row.h src/verbs/qp_row.c \
	src/verbs/maker.h \
	src/verbs/queue.h src/verbs/queue.c \
	src/verbs/route.h src/verbs/route.c \
	src/verbs/soft_preload.h src/verbs/soft_preload.c \
	src/verbs/sa_member.h src/verbs/sa_record.h src/verbs/sa_record.c \
	src/verbs/site.h src/verbs/site.c \
	src/verbs/software.h src/verbs/software.c \
	src/verbs/srq.h src/verbs/srq.c \
	src/verbs/static_rate.h src/verbs/static_rate.c \
	src/verbs/thread_domain.h src/verbs/thread_domain.c \
	src/verbs/verbs_config.h src/verbs/verbs_config.c src/verbs/perftest_resources.h src/verbs/perftest_resources.c \
	src/verbs/tlp_hint.h src/verbs/tlp_hint.c \
	src/verbs/unsolicited.h src/verbs/unsolicited.c \
	src/verbs/wc_status.h src/verbs/wc_status.c \
	src/verbs/wr.h src/verbs/wr.c

# DC and SRD: with the headers of mlx5 and EFA, or their refusal.
VERBS_DIRECT = src/verbs/mlx5_library.h src/verbs/mlx5_library.c src/verbs/efa_library.h src/verbs/efa_library.c \
	src/verbs/dc.c src/verbs/srd.c src/verbs/mlx5_doorbell.c src/verbs/mlx5_inline_recv.c src/verbs/mlx5_mkey.h src/verbs/mlx5_mkey.c src/verbs/mlx5_crypto.c src/verbs/mlx5_signature.c src/verbs/mlx5_context.h src/verbs/mlx5_qp.h src/verbs/mlx5_qp.c
VERBS_NO_DIRECT = src/verbs/direct_absent.c
src_verbs_libverbs_a_SOURCES += src/verbs/inline_recv.h src/verbs/mlx5_doorbell.h
if HAVE_DIRECT_VERBS
src_verbs_libverbs_a_SOURCES += $(VERBS_DIRECT)
EXTRA_DIST += $(VERBS_NO_DIRECT)
else
src_verbs_libverbs_a_SOURCES += $(VERBS_NO_DIRECT)
EXTRA_DIST += $(VERBS_DIRECT)
endif

# Multicast on InfiniBand: with libibumad's headers, or its refusal.
VERBS_SA = src/verbs/sa_member.c src/verbs/umad_library.c src/verbs/umad_library.h
VERBS_NO_SA = src/verbs/sa_absent.c
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
test_cm_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS)
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
test_device_probe_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/util/libutil.a $(CMOCKA_LIBS)
test_work_requests_SOURCES = tests/unit/test_work_requests.c
test_work_requests_LDADD = src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/traffic/libtraffic.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(RDMACM_LIBS) $(IBVERBS_LIBS) -lm
endif
