# Traces that are text.  See README.md.
noinst_LIBRARIES += %D%/liblines.a
%C%_liblines_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS)
%C%_liblines_a_SOURCES = \
	%D%/line_calls.c \
	%D%/line_file.c %D%/line_file.h \
	%D%/line_file_private.h \
	%D%/line_known.c %D%/line_known.h \
	%D%/line_page.c \
	%D%/line_pass.c \
	%D%/line_record.c %D%/line_record.h \
	%D%/line_rows.c \
	%D%/line_search.c %D%/line_search.h \
	%D%/line_source.c %D%/line_source.h \
	%D%/line_types.c %D%/line_types.h \
	%D%/text_memory.c \
	%D%/text_slice.h \
	%D%/text_trace.c %D%/text_trace.h
