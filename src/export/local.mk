# Whole traces in other programs' formats.  See README.md.
noinst_LIBRARIES += %D%/libexport.a
%C%_libexport_a_SOURCES = \
	%D%/chrome.c \
	%D%/ftrace_event.c \
	%D%/perfetto.c %D%/perfetto.h \
	%D%/perfetto_calls.c \
	%D%/perfetto_gaps.c \
	%D%/perfetto_packets.c \
	%D%/perfetto_private.h \
	%D%/perfetto_tar.c \
	%D%/proto.h \
	%D%/tables.c %D%/tables.h \
	%D%/tables_calls.c \
	%D%/tables_events.c \
	%D%/tables_latency.c \
	%D%/tables_private.h \
	%D%/tables_sched.c
