# What each task and each CPU did, as lists.  See README.md.
noinst_LIBRARIES += %D%/libtasks.a
%C%_libtasks_a_SOURCES = \
	%D%/cpus_lists.c
