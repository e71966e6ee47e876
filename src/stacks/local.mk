# Stacks with weights, and the waits that they began and ended.  See README.md.
noinst_LIBRARIES += %D%/libstacks.a
%C%_libstacks_a_SOURCES = \
	%D%/event_stacks.c %D%/event_stacks.h \
	%D%/stack_table.c %D%/stack_table.h \
	%D%/wait_stacks.c %D%/wait_stacks.h
