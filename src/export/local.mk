# Whole traces in other programs' formats.  See README.md.
noinst_LIBRARIES += %D%/libexport.a
%C%_libexport_a_SOURCES = \
	%D%/perfetto.c %D%/perfetto.h \
	%D%/proto.h
