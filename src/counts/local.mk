# Counts of events by their fields.  See README.md.
noinst_LIBRARIES += %D%/libcounts.a
%C%_libcounts_a_SOURCES = \
	%D%/counts.c %D%/counts.h \
	%D%/counts_words.c \
	%D%/requests.c %D%/requests.h
