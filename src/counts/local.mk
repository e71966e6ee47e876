# Counts of events by their fields.  See README.md.
noinst_LIBRARIES += %D%/libcounts.a
%C%_libcounts_a_SOURCES = \
	%D%/counts.c %D%/counts.h \
	%D%/counts_lists.c \
	%D%/counts_private.h \
	%D%/counts_words.c \
	%D%/hist_lists.c \
	%D%/requests.c %D%/requests.h
