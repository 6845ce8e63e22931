# The programs: one file each, with the name of the program.
bin_PROGRAMS += ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat raw_ethernet_bw raw_ethernet_lat raw_ethernet_burst_lat raw_ethernet_fs_rate

LAYERS = src/session/libsession.a src/doctor/libdoctor.a src/loops/libloops.a src/report/libreport.a src/comm/libcomm.a \
	src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/net/libnet.a src/util/libutil.a
# A sanitizer's runtime must come first in a process, so nothing can be preloaded: soft is linked in instead,
# ahead of the library that it replaces.
if SANITIZERS
SOFT_FIRST = soft/libperftest_soft.la
else
SOFT_FIRST =
endif
SYSTEM_LIBS = $(SOFT_FIRST) $(RDMACM_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS) -lm -lpthread

ib_send_bw_SOURCES = src/main/ib_send_bw.c
ib_send_bw_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_send_lat_SOURCES = src/main/ib_send_lat.c
ib_send_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_write_bw_SOURCES = src/main/ib_write_bw.c
ib_write_bw_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_write_lat_SOURCES = src/main/ib_write_lat.c
ib_write_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_read_bw_SOURCES = src/main/ib_read_bw.c
ib_read_bw_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_read_lat_SOURCES = src/main/ib_read_lat.c
ib_read_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_atomic_bw_SOURCES = src/main/ib_atomic_bw.c
ib_atomic_bw_LDADD = $(LAYERS) $(SYSTEM_LIBS)
ib_atomic_lat_SOURCES = src/main/ib_atomic_lat.c
ib_atomic_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
raw_ethernet_bw_SOURCES = src/main/raw_ethernet_bw.c
raw_ethernet_bw_LDADD = $(LAYERS) $(SYSTEM_LIBS)
raw_ethernet_lat_SOURCES = src/main/raw_ethernet_lat.c
raw_ethernet_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
raw_ethernet_burst_lat_SOURCES = src/main/raw_ethernet_burst_lat.c
raw_ethernet_burst_lat_LDADD = $(LAYERS) $(SYSTEM_LIBS)
raw_ethernet_fs_rate_SOURCES = src/main/raw_ethernet_fs_rate.c
raw_ethernet_fs_rate_LDADD = $(LAYERS) $(SYSTEM_LIBS)
