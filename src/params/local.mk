# The params layer.
noinst_LIBRARIES += src/params/libparams.a
src_params_libparams_a_SOURCES = src/params/engine/cli.h src/params/engine/advice.h src/params/engine/advice.c src/params/engine/common.h src/params/programs.h src/params/programs.c \
	src/params/perftest_parameters.h src/params/parse.c src/params/perftest_parameters.c \
	src/params/options.h src/params/options.c src/params/rows/rows_general.h src/params/rows/rows_channel.h src/params/rows/rows_device.h src/params/rows/rows_ethernet.h src/params/rows/rows_test.h \
	src/params/rows/rows_queues.h src/params/rows/rows_rate.h src/params/rows/rows_memory.h src/params/rows/rows_accelerator.h src/params/rows/rows_report.h \
	src/params/engine/checks.h src/params/engine/checks.c \
	src/params/engine/limits.h src/params/engine/limits.c \
	src/params/engine/host.h src/params/engine/host.c src/params/engine/opt.h src/params/engine/opt_rows.h src/params/engine/opt.c src/params/engine/opt_name.h src/params/engine/opt_name.c src/params/engine/opt_value.c \
	src/params/rules/rules.h src/params/rules/rules.c src/params/rules/rules_ethernet.c src/params/rules/rules_host.c src/params/rules/rules_idle.c src/params/rules/rules_memory.c \
	src/params/rules/rules_queues.c src/params/rules/rules_several.c src/params/rules/rules_time.c src/params/resolve.c \
	src/params/engine/opt_exchange.h src/params/engine/opt_exchange.c src/params/masks.h src/params/exchange.c src/params/engine/help.c

if HAVE_CMOCKA
PARAMS_TEST_LIBS = src/params/libparams.a src/traffic/libtraffic.a src/util/libutil.a $(CMOCKA_LIBS)
check_PROGRAMS += test_load test_options test_opt test_host test_rules test_resolve test_exchange test_fuzz_options
test_load_SOURCES = tests/unit/test_load.c
test_load_LDADD = $(PARAMS_TEST_LIBS)
test_options_SOURCES = tests/unit/test_options.c tests/unit/command_line.h
test_options_LDADD = $(PARAMS_TEST_LIBS)
test_opt_SOURCES = tests/unit/test_opt.c tests/unit/command_line.h
test_opt_LDADD = $(PARAMS_TEST_LIBS)
test_host_SOURCES = tests/unit/test_host.c
test_host_LDADD = $(PARAMS_TEST_LIBS)
test_rules_SOURCES = tests/unit/test_rules.c tests/unit/command_line.h
test_rules_LDADD = $(PARAMS_TEST_LIBS)
test_resolve_SOURCES = tests/unit/test_resolve.c tests/unit/command_line.h
test_resolve_LDADD = $(PARAMS_TEST_LIBS)
test_exchange_SOURCES = tests/unit/test_exchange.c tests/unit/random_numbers.h tests/unit/command_line.h
test_exchange_LDADD = $(PARAMS_TEST_LIBS)
test_fuzz_options_SOURCES = tests/unit/test_fuzz_options.c tests/unit/random_numbers.h tests/fuzz/fuzz_options.c tests/fuzz/fuzz.h
test_fuzz_options_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
test_fuzz_options_LDADD = $(PARAMS_TEST_LIBS)
endif

# `make fuzz_options && ./fuzz_options -max_total_time=60`; libFuzzer comes with clang only.
fuzz_options: tests/fuzz/fuzz_options.c $(src_params_libparams_a_SOURCES) $(src_traffic_libtraffic_a_SOURCES) \
		$(src_util_libutil_a_SOURCES)
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		$(DEFS) $(DEFAULT_INCLUDES) -I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $(filter %.c,$^)
CLEANFILES += fuzz_options
