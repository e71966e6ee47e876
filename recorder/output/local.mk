# The trace.dat that is being recorded.  See README.md.
noinst_LIBRARIES += %D%/liboutput.a
%C%_liboutput_a_SOURCES = \
	%D%/output.c %D%/output.h \
	%D%/output_close.c \
	%D%/output_head.c \
	%D%/output_layout.h \
	%D%/output_pack.c \
	%D%/output_recover.c \
	%D%/output_spool.c
