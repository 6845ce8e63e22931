# cxi_send_bw: a program beside those of session, over doctor, explain, report, net, memory, params, stats and util.
noinst_LIBRARIES += src/cxi/libcxi_send_bw.a
src_cxi_libcxi_send_bw_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(LIBFABRIC_CFLAGS)
src_cxi_libcxi_send_bw_a_SOURCES = \
	src/cxi/adapter.c src/cxi/adapter.h \
	src/cxi/buffers.c src/cxi/buffers.h \
	src/cxi/control/channel.c src/cxi/control/channel.h \
	src/cxi/cxi.c src/cxi/cxi.h \
	src/cxi/control/handshake.c \
	src/cxi/control/hpe.c src/cxi/control/hpe.h \
	src/cxi/control/hpe_wire.c \
	src/cxi/group.c src/cxi/group.h \
	src/cxi/intervals.c src/cxi/intervals.h \
	src/cxi/manual.c \
	src/cxi/ops.c src/cxi/ops.h \
	src/cxi/options.c \
	src/cxi/parameters.c src/cxi/parameters.h \
	src/cxi/report.c src/cxi/report.h \
	src/cxi/run.c src/cxi/run.h \
	src/cxi/control/wire.c src/cxi/control/wire.h
# --provider: with libfabric's headers, or its refusal.
CXI_FABRIC = src/cxi/fabric/fabric.h src/cxi/fabric/fabric_guard.c src/cxi/fabric/fabric_guard.h src/cxi/fabric/fabric_lists.c src/cxi/fabric/fabric_open.c
CXI_NO_FABRIC = src/cxi/fabric/fabric_absent.c
if HAVE_LIBFABRIC
src_cxi_libcxi_send_bw_a_SOURCES += $(CXI_FABRIC)
EXTRA_DIST += $(CXI_NO_FABRIC)
else
src_cxi_libcxi_send_bw_a_SOURCES += $(CXI_NO_FABRIC)
EXTRA_DIST += $(CXI_FABRIC)
endif

# It runs without libibverbs: of verbs only what reads sysfs is linked, for the doctor.
bin_PROGRAMS += cxi_send_bw
cxi_send_bw_SOURCES = src/main/cxi_send_bw.c src/main/commit.c
CXI_LAYERS = src/cxi/libcxi_send_bw.a src/life/liblife.a src/explain/libexplain.a src/doctor/libdoctor.a src/report/libreport.a src/verbs/libverbs.a src/memory/libmemory.a src/params/libparams.a \
	src/traffic/libtraffic.a src/stats/libstats.a src/net/libnet.a src/util/libutil.a
cxi_send_bw_LDADD = $(CXI_LAYERS) $(JANSSON_LIBS) -ldl -lm -lpthread

if HAVE_CMOCKA
CXI_TEST_LIBS = $(CXI_LAYERS) $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
check_PROGRAMS += test_cxi_absent test_cxi_claim test_cxi_guard test_cxi_hpe test_cxi_intervals test_cxi_options test_cxi_report test_cxi_wire
test_cxi_absent_SOURCES = tests/unit/test_cxi_absent.c src/cxi/fabric/fabric_absent.c src/cxi/ops.c
test_cxi_absent_LDADD = $(CMOCKA_LIBS)
test_cxi_claim_SOURCES = tests/unit/test_cxi_claim.c
test_cxi_claim_LDADD = $(CXI_TEST_LIBS)
test_cxi_guard_SOURCES = tests/unit/test_cxi_guard.c src/cxi/fabric/fabric_guard.c
test_cxi_guard_LDADD = src/util/libutil.a $(CMOCKA_LIBS) -lpthread
test_cxi_hpe_SOURCES = tests/unit/test_cxi_hpe.c
test_cxi_hpe_LDADD = $(CXI_TEST_LIBS)
test_cxi_intervals_SOURCES = tests/unit/test_cxi_intervals.c
test_cxi_intervals_LDADD = $(CXI_TEST_LIBS)
test_cxi_options_SOURCES = tests/unit/test_cxi_options.c
test_cxi_options_LDADD = $(CXI_TEST_LIBS)
test_cxi_report_SOURCES = tests/unit/test_cxi_report.c
test_cxi_report_LDADD = $(CXI_TEST_LIBS)
test_cxi_wire_SOURCES = tests/unit/test_cxi_wire.c tests/fuzz/fuzz_cxi.c tests/fuzz/fuzz.h tests/fuzz/corpus.h
test_cxi_wire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_cxi_wire_LDADD = $(CXI_TEST_LIBS)
endif

# `make fuzz_cxi && ./fuzz_cxi -max_total_time=60`; libFuzzer comes with clang only.
fuzz_cxi: tests/fuzz/fuzz_cxi.c src/cxi/control/wire.c src/cxi/control/hpe_wire.c src/cxi/options.c src/cxi/parameters.c src/params/engine/host.c \
		src/params/engine/checks.c src/traffic/sweep.c src/params/engine/opt.c src/params/engine/opt_name.c src/params/engine/opt_exchange.c src/params/engine/opt_value.c \
		$(src_net_libnet_a_SOURCES) $(src_util_libutil_a_SOURCES)
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I. -I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $(filter %.c,$^) -lm
CLEANFILES += fuzz_cxi
EXTRA_DIST += tests/fuzz/corpus/fuzz_cxi
