# The rows that filters keep, a search, the filter options of commands.  See README.md.
noinst_LIBRARIES += %D%/libmatch.a
%C%_libmatch_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS)
%C%_libmatch_a_SOURCES = \
	%D%/event_sweep.c %D%/event_sweep.h \
	%D%/filter_option.c %D%/filter_option.h \
	%D%/given_filter.c %D%/given_filter.h \
	%D%/match_scan.c %D%/match_scan.h \
	%D%/matches.c %D%/matches.h \
	%D%/matches_private.h \
	%D%/matches_rows.c \
	%D%/matches_work.c \
	%D%/other_end.c %D%/other_end.h \
	%D%/search.c %D%/search.h
