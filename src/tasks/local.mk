# What each task and each CPU did, as lists.  See README.md.
noinst_LIBRARIES += %D%/libtasks.a
%C%_libtasks_a_SOURCES = \
	%D%/cpus_lists.c %D%/cpus_lists.h \
	%D%/tasks_compared.c %D%/tasks_compared.h \
	%D%/tasks_lists.c
