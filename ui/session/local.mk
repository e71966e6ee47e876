# The trace that is open, what is kept of it, settings, saving.  See README.md.
noinst_LIBRARIES += %D%/libsession.a
%C%_libsession_a_SOURCES = \
	%D%/config.c %D%/config.h \
	%D%/filter_names.c %D%/filter_names.h \
	%D%/options.c %D%/options.h \
	%D%/recent.c %D%/recent.h \
	%D%/remember.c %D%/remember.h \
	%D%/reopen.c %D%/reopen.h %D%/reopen_pipe.c %D%/reopen_ring.c \
	%D%/reopen_private.h \
	%D%/save.c %D%/save.h \
	%D%/save_perfetto.c %D%/save_perfetto.h \
	%D%/session.c %D%/session.h
