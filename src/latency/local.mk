# How long things took, by kind.  See README.md.
noinst_LIBRARIES += %D%/liblatency.a
%C%_liblatency_a_SOURCES = \
	%D%/latency.c %D%/latency.h \
	%D%/latency_bounds.c \
	%D%/latency_calls.c \
	%D%/latency_columns.c %D%/latency_columns.h \
	%D%/latency_ends.c \
	%D%/latency_kinds.c %D%/latency_kinds.h \
	%D%/latency_groups.c %D%/latency_groups.h \
	%D%/latency_list.c %D%/latency_list.h \
	%D%/latency_lists.c \
	%D%/latency_of_32.c \
	%D%/latency_open.c %D%/latency_open.h \
	%D%/latency_parts.c %D%/latency_parts.h \
	%D%/latency_pass.c \
	%D%/latency_private.h \
	%D%/latency_ranges.c %D%/latency_ranges.h \
	%D%/latency_text.c
