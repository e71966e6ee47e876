# What all views share: the trace, rows, filters, places.  See README.md.
noinst_LIBRARIES += %D%/librows.a
%C%_librows_a_SOURCES = \
	%D%/call_scope.c %D%/call_scope.h \
	%D%/columns.c %D%/columns.h \
	%D%/filter_blame.c \
	%D%/filter_terms.c %D%/filter_terms.h \
	%D%/filters.c %D%/filters.h \
	%D%/goto.c %D%/goto.h \
	%D%/kept.c %D%/kept.h \
	%D%/matching.c %D%/matching.h \
	%D%/places.c %D%/places.h \
	%D%/row.c %D%/row.h \
	%D%/row_cursor.c %D%/row_cursor.h \
	%D%/row_gaps.c %D%/row_gaps.h \
	%D%/rows.c %D%/rows.h \
	%D%/shared.c %D%/shared.h \
	%D%/slow.c %D%/slow.h \
	%D%/words.c %D%/words.h
