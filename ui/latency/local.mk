# The Latency view.  See README.md.
noinst_LIBRARIES += %D%/liblatency.a
%C%_liblatency_a_SOURCES = \
	%D%/latency_draw.c \
	%D%/latency_nested.c \
	%D%/latency_rows.c \
	%D%/view_latency.c %D%/view_latency.h
