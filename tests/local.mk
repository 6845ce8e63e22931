# The tests as a whole: unit tests are listed in each layer's local.mk; tests/cli runs the programs,
# tests/house looks at the tree and at runme.
# Folders go into the tarball whole.
EXTRA_DIST += tests/run tests/check_dependencies tests/check_dist tests/check_format tests/check_generated tests/check_krping \
	tests/check_licence tests/check_shell tests/check_soft_verbs tests/check_traffic tests/check_version tests/container tests/cross tests/fresh tests/krping_headers tests/kubernetes tests/kubernetes_programs tests/newer_headers tests/newer_root tests/packages tests/cli tests/conformance tests/house tests/peers.bash tests/unit/cmocka_all.h tests/vm
EXTRA_DIST += tests/apart tests/check_docs tests/check_names tests/check_words

# For tests/run, which counts every single test.
check-programs: $(check_PROGRAMS) $(check_LTLIBRARIES)

# What `make` builds with clang's libFuzzer; "tests/run fuzzers" runs each of them.
FUZZERS = fuzz_conversation fuzz_cxi fuzz_frame fuzz_link fuzz_rendezvous fuzz_options fuzz_qperf fuzz_wire
FUZZ_CC = clang
FUZZ_LEVEL = -O1
FUZZ_CFLAGS = -std=gnu11 -g $(FUZZ_LEVEL) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

list-fuzzers:
	@echo $(FUZZERS)

list-check-programs:
	@echo $(check_PROGRAMS)

check-local: check-programs
	$(srcdir)/tests/run --build $(abs_builddir)

# On the kernel's RDMA stack, in a virtual machine: tests/vm/README.md. Not a part of "check", which fetches nothing.
check-vm: all
	$(srcdir)/tests/run --build $(abs_builddir) vm-all

.PHONY: check-vm check-programs list-check-programs list-fuzzers
