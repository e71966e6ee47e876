# Whole traces in other programs' formats.  See README.md.
noinst_LIBRARIES += %D%/libexport.a
%C%_libexport_a_SOURCES = \
	%D%/perfetto.c %D%/perfetto.h \
	%D%/proto.h \
	%D%/tables_file.c %D%/tables_file.h \
	%D%/tables.c %D%/tables.h \
	%D%/tables_calls.c \
	%D%/tables_events.c \
	%D%/tables_latency.c \
	%D%/tables_private.h \
	%D%/tables_sched.c
