# The views that are open, moving between them, and searching.  See README.md.
noinst_LIBRARIES += %D%/libdesk.a
%C%_libdesk_a_SOURCES = \
	%D%/app_options.h \
	%D%/desk.c %D%/desk.h \
	%D%/finder.c %D%/finder.h \
	%D%/hits.c %D%/hits.h \
	%D%/narrow.c %D%/narrow.h \
	%D%/split.c %D%/split.h \
	%D%/view_table.c %D%/view_table.h \
	%D%/views.c %D%/views.h
