# The params layer.
noinst_LIBRARIES += src/params/libparams.a
src_params_libparams_a_SOURCES = src/params/program.h src/params/programs.h src/params/programs.c \
	src/params/perftest_parameters.h src/params/perftest_parameters.c \
	src/params/options.h src/params/options.c src/params/checks.h src/params/checks.c \
	src/params/opt.h src/params/opt.c src/params/opt_value.c \
	src/params/rules.h src/params/rules.c src/params/resolve.h src/params/resolve.c \
	src/params/exchange.c src/params/help.c

if HAVE_CMOCKA
PARAMS_TEST_LIBS = src/params/libparams.a src/util/libutil.a $(CMOCKA_LIBS)
check_PROGRAMS += test_options test_opt test_rules test_resolve test_exchange
test_options_SOURCES = tests/unit/test_options.c tests/unit/command_line.h
test_options_LDADD = $(PARAMS_TEST_LIBS)
test_opt_SOURCES = tests/unit/test_opt.c tests/unit/command_line.h
test_opt_LDADD = $(PARAMS_TEST_LIBS)
test_rules_SOURCES = tests/unit/test_rules.c tests/unit/command_line.h
test_rules_LDADD = $(PARAMS_TEST_LIBS)
test_resolve_SOURCES = tests/unit/test_resolve.c tests/unit/command_line.h
test_resolve_LDADD = $(PARAMS_TEST_LIBS)
test_exchange_SOURCES = tests/unit/test_exchange.c tests/unit/command_line.h
test_exchange_LDADD = $(PARAMS_TEST_LIBS)
endif
