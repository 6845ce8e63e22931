# The tests as a whole: unit tests are listed in each layer's local.mk; tests/cli runs the programs,
# tests/house looks at the tree and at runme.
EXTRA_DIST += tests/run tests/check_dependencies tests/check_format tests/check_generated tests/check_shell \
	tests/check_licence tests/cli/helpers.bash

# For tests/run, which counts every single test.
check-programs: $(check_PROGRAMS)

list-check-programs:
	@echo $(check_PROGRAMS)

check-local: check-programs
	$(srcdir)/tests/run --build $(abs_builddir)

.PHONY: check-programs list-check-programs
