# The Counts view.  See README.md.
noinst_LIBRARIES += %D%/libcounts.a
%C%_libcounts_a_SOURCES = \
	%D%/view_counts.c %D%/hist_form.c %D%/hist_form.h
