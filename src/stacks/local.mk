# Stacks with weights, and the waits that they began and ended.  See README.md.
noinst_LIBRARIES += %D%/libstacks.a
%C%_libstacks_a_SOURCES = \
	%D%/stacks.c %D%/stacks.h \
	%D%/stacks_lists.c
