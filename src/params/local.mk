# The params layer.
noinst_LIBRARIES += src/params/libparams.a
src_params_libparams_a_SOURCES = src/params/program.h src/params/programs.h src/params/programs.c \
	src/params/perftest_parameters.h src/params/perftest_parameters.c \
	src/params/options.h src/params/options.c src/params/checks.h src/params/checks.c \
	src/params/opt.h src/params/opt.c src/params/opt_value.c \
	src/params/rules.h src/params/rules.c src/params/resolve.h src/params/resolve.c \
	src/params/exchange.c src/params/help.c
