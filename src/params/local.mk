# The params layer.
noinst_LIBRARIES += src/params/libparams.a
src_params_libparams_a_SOURCES =
