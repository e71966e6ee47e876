# The Counts view.  See README.md.
noinst_LIBRARIES += %D%/libcounts.a
%C%_libcounts_a_SOURCES = %D%/view_counts.c
