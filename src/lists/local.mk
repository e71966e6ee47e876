# All models that make lists, and comparing them.  See README.md.
noinst_LIBRARIES += %D%/liblists.a
%C%_liblists_a_SOURCES = \
	%D%/comparison.c %D%/comparison.h \
	%D%/sources.c %D%/sources.h
