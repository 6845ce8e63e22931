# The kernel module. "make" never builds it: "make -C krping" and DKMS do, with the kernel's own build.
dist_man_MANS += man/krping.8 man/krping_run.8
EXTRA_DIST += krping/Kbuild krping/Makefile krping/dkms.conf \
	krping/bandwidth.c krping/buffer.c krping/client.c krping/command.c krping/command.h \
	krping/endpoint.c krping/endpoint.h krping/histogram.c krping/histogram.h krping/krping.h \
	krping/latency.c krping/listener.c krping/main.c krping/ping.c krping/post.c krping/proc.c \
	krping/result.c krping/swap.c krping/wait.c

# What of it has no need of a kernel; tests/unit/kernel stands in for the headers.
EXTRA_DIST += tests/unit/kernel
if HAVE_CMOCKA
check_PROGRAMS += test_krping_command test_krping_histogram
KRPING_CPPFLAGS = -I$(top_srcdir)/krping -I$(top_srcdir)/tests/unit/kernel
test_krping_command_SOURCES = tests/unit/test_krping_command.c krping/command.c
test_krping_command_CPPFLAGS = $(KRPING_CPPFLAGS)
test_krping_command_LDADD = $(CMOCKA_LIBS)
test_krping_histogram_SOURCES = tests/unit/test_krping_histogram.c tests/unit/random_numbers.h krping/histogram.c
test_krping_histogram_CPPFLAGS = $(KRPING_CPPFLAGS)
test_krping_histogram_LDADD = $(CMOCKA_LIBS)
endif
