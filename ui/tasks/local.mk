# The Tasks view.  See README.md.
noinst_LIBRARIES += %D%/libtasks.a
%C%_libtasks_a_SOURCES = \
	%D%/now_held.c \
	%D%/tasks_columns.c \
	%D%/tasks_counted.c \
	%D%/tasks_draw.c \
	%D%/tasks_groups.c \
	%D%/tasks_open.c \
	%D%/tasks_other.c \
	%D%/tasks_words.c \
	%D%/view_now.c \
	%D%/view_tasks.c %D%/view_tasks.h
