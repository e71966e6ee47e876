# The worst of each kind, and what was not recorded.  See README.md.
noinst_LIBRARIES += %D%/libsummary.a
%C%_libsummary_a_SOURCES = \
	%D%/lacks.c %D%/lacks.h \
	%D%/summary_lists.c
