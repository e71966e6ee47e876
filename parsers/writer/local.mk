# Writes trace.dat files.  See README.md.
noinst_LIBRARIES += %D%/libwriter.a
%C%_libwriter_a_SOURCES = \
	%D%/private_section.c %D%/private_section.h \
	%D%/record_packer.c %D%/record_packer.h \
	%D%/trace_writer.c %D%/trace_writer.h
