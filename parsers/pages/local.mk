# The page directory, and cursors over records.  See README.md.
noinst_LIBRARIES += %D%/libpages.a
%C%_libpages_a_SOURCES = \
	%D%/cursor.c %D%/cursor.h \
	%D%/cursor_private.h \
	%D%/cursor_seek.c \
	%D%/page_cache.c %D%/page_cache.h \
	%D%/page_index.c %D%/page_index.h \
	%D%/page_kinds.c %D%/page_kinds.h \
	%D%/page_names.c %D%/page_names.h \
	%D%/page_reader.c %D%/page_reader.h \
	%D%/page_scan.c %D%/page_scan.h \
	%D%/page_sequence.h \
	%D%/raw_page.c %D%/raw_page.h
