# Calls by function and by path, the longest ones, flame graphs.  See README.md.
noinst_LIBRARIES += %D%/libfunctions.a
%C%_libfunctions_a_SOURCES = \
	%D%/call_instances.c %D%/call_instances.h \
	%D%/call_paths.c %D%/call_paths.h \
	%D%/call_team.c %D%/call_team.h \
	%D%/call_totals.c %D%/call_totals.h \
	%D%/flame.c %D%/flame.h \
	%D%/function_columns.c %D%/function_columns.h \
	%D%/function_groups.c %D%/function_groups.h \
	%D%/function_job.c %D%/function_job.h \
	%D%/function_table.c %D%/function_table.h \
	%D%/function_table_private.h \
	%D%/functions_lists.c
