# The Functions view.  See README.md.
noinst_LIBRARIES += %D%/libfunctions.a
%C%_libfunctions_a_SOURCES = \
	%D%/functions_compare.c \
	%D%/functions_draw.c \
	%D%/functions_flame.c %D%/functions_flame.h \
	%D%/functions_flame_compare.c \
	%D%/functions_flame_draw.c \
	%D%/functions_groups.c \
	%D%/functions_instances.c \
	%D%/functions_open.c \
	%D%/functions_shown.c \
	%D%/functions_stacks.c \
	%D%/functions_table.c \
	%D%/view_functions.c %D%/view_functions.h
