# Opens a trace of any form.  See README.md.
noinst_LIBRARIES += %D%/libopen.a
%C%_libopen_a_SOURCES = \
	%D%/open.c %D%/open.h
