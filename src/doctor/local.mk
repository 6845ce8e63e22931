# The doctor layer: what on this host may make a test slow, or fail?
noinst_LIBRARIES += src/doctor/libdoctor.a
src_doctor_libdoctor_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_doctor_libdoctor_a_SOURCES = \
	src/doctor/doctor.c src/doctor/doctor.h \
	src/doctor/checks.h \
	src/doctor/diagnosis.c src/doctor/diagnosis.h \
	src/doctor/examine.c src/doctor/examine.h \
	src/doctor/device.c src/doctor/link.c src/doctor/pcie.c \
	src/doctor/placement.c src/doctor/cpu.c src/doctor/memory.c \
	src/doctor/subject.c src/doctor/subject_device.c src/doctor/subject.h \
	src/doctor/tree.c src/doctor/tree.h \
	src/doctor/finding.c src/doctor/finding.h \
	src/doctor/options.h

if HAVE_CMOCKA
check_PROGRAMS += test_doctor
test_doctor_SOURCES = tests/unit/test_doctor.c tests/unit/advice_words.h tests/unit/doctor_trees.h tests/unit/fake_ports.h
test_doctor_CPPFLAGS = $(AM_CPPFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_doctor_LDADD = src/doctor/libdoctor.a src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a src/report/libreport.a \
	src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/util/libutil.a $(CMOCKA_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS) -lm
endif
