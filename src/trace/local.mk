# Rows in the order of time: files, streams, clocks, row numbers.  See README.md.
noinst_LIBRARIES += %D%/libtrace.a
%C%_libtrace_a_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
%C%_libtrace_a_SOURCES = \
	%D%/comm_cache.h \
	%D%/cpu_groups.c %D%/cpu_groups.h \
	%D%/formats_option.c %D%/formats_option.h \
	%D%/leaf_calls.c %D%/groupings.c %D%/groupings.h \
	%D%/leaf_calls.h \
	%D%/lock_wait.c %D%/lock_wait.h \
	%D%/match_items.c %D%/match_items.h \
	%D%/warnings.c %D%/warnings.h \
	%D%/offset_option.c %D%/offset_option.h \
	%D%/stream_walk.c %D%/stream_walk.h \
	%D%/syscall_names.c %D%/syscall_names.h \
	%D%/system_counts.c %D%/system_counts.h \
	%D%/time_option.c %D%/time_option.h \
	%D%/time_spans.c %D%/time_spans.h \
	%D%/trace.c %D%/trace.h \
	%D%/trace_absence.c %D%/trace_absence.h \
	%D%/trace_boots.c \
	%D%/trace_clock.c \
	%D%/trace_covered.c \
	%D%/trace_cursor.c \
	%D%/trace_density.c \
	%D%/trace_directory.c \
	%D%/trace_guests.c %D%/trace_guests.h \
	%D%/trace_hits.c %D%/trace_hits.h \
	%D%/trace_latency.c %D%/trace_latency.h \
	%D%/trace_losses.c \
	%D%/trace_marker.c %D%/trace_marker.h \
	%D%/trace_names.c \
	%D%/trace_private.h \
	%D%/trace_rows.c \
	%D%/trace_streams.h \
	%D%/trace_text.c \
	%D%/trace_who.c \
	%D%/trace_user.c %D%/trace_user.h \
	%D%/value_column.c %D%/value_column.h
