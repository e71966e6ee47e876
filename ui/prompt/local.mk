# What is typed and picked.  See README.md.
noinst_LIBRARIES += %D%/libprompt.a
%C%_libprompt_a_SOURCES = \
	%D%/columns.c %D%/columns.h \
	%D%/commands.c %D%/commands.h \
	%D%/filter_line.c %D%/filter_line.h \
	%D%/filter_list.c %D%/filter_list.h \
	%D%/lists.c %D%/lists.h \
	%D%/mark_list.c %D%/mark_list.h \
	%D%/message_list.c %D%/message_list.h \
	%D%/pairs.c %D%/pairs.h \
	%D%/place_line.c %D%/place_line.h \
	%D%/prompts.c %D%/prompts.h \
	%D%/save_line.c %D%/save_line.h \
	%D%/search_line.c %D%/search_line.h \
	%D%/task_picker.c %D%/task_picker.h \
	%D%/view_list.c %D%/view_list.h \
	%D%/why_list.c %D%/why_list.h
