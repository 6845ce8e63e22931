# One executable for the front and for the tests of the family, which are links to it; see perftest.c.
bin_PROGRAMS += perftest
PROGRAM_LINKS = ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate

# The front refuses clients of other programs in their own words: of these libraries it takes the bytes alone.
LAYERS = src/front/libfront.a src/qperf/libqperf.a src/cxi/libcxi_send_bw.a src/cmtime/libcmtime.a src/session/libsession.a src/life/liblife.a src/explain/libexplain.a src/doctor/libdoctor.a src/loops/libloops.a src/report/libreport.a src/comm/libcomm.a \
	src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/net/libnet.a src/util/libutil.a
# A sanitizer's runtime must come first in a process, so nothing can be preloaded: soft is linked in instead,
# ahead of the library that it replaces.
if SANITIZERS
SOFT_FIRST = $(SOFT_FILE)
else
SOFT_FIRST =
endif
# libc first: nearly all symbols are of it, and the dynamic linker looks for each in the libraries in this order.
SYSTEM_LIBS = $(SOFT_FIRST) -lpthread -lc $(RDMACM_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS) -lm

perftest_SOURCES = src/main/perftest.c src/main/commit.c
perftest_LDADD = $(LAYERS) $(SYSTEM_LIBS)

# "f135af0c1d22", "f135af0c1d22-dirty"; "" in a folder that is no checkout, as a tarball's. Rewritten if it changes;
# kept if git refuses, as it does to root in another user's folder.
src/main/commit.$(OBJEXT): src/main/commit.h
src/main/commit.h: FORCE
	@$(MKDIR_P) src/main
	@commit=; \
	if test -e $(srcdir)/.git && ! commit=$$(GIT_OPTIONAL_LOCKS=0 git -C $(srcdir) describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null) && \
		test -e $@; then exit 0; fi; \
	{ echo '/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */'; echo "#define BUILD_COMMIT \"$$commit\""; } >$@.new; \
	if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi
FORCE:
CLEANFILES += src/main/commit.h

$(PROGRAM_LINKS): perftest$(EXEEXT)
	$(AM_V_GEN)$(LN_S) -f perftest$(EXEEXT) $@

all-local: $(PROGRAM_LINKS)
CLEANFILES += $(PROGRAM_LINKS)
