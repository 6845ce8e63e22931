# The session layer.
noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES =
