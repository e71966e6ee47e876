# Sub-buffers in a temporary file, for forms whose events are converted.  See README.md.
noinst_LIBRARIES += %D%/libspool.a
%C%_libspool_a_SOURCES = \
	%D%/spool.c %D%/spool.h \
	%D%/spool_merge.c \
	%D%/spool_private.h
