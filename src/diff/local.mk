# Two traces side by side.  See README.md.
noinst_LIBRARIES += %D%/libdiff.a
%C%_libdiff_a_SOURCES = \
	%D%/diff.c %D%/diff.h
