# Writes trace.dat files.  See README.md.
noinst_LIBRARIES += %D%/libwriter.a
%C%_libwriter_a_SOURCES = \
	%D%/record_packer.c %D%/record_packer.h \
	%D%/trace_writer.c %D%/trace_writer.h \
	%D%/trace_writer_metadata.c \
	%D%/trace_writer_private.h \
	%D%/trace_writer_v6.c \
	%D%/trace_writer_v7.c
