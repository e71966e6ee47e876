# The loop, and what is typed.  See README.md.
noinst_LIBRARIES += %D%/libapp.a
%C%_libapp_a_SOURCES = \
	%D%/actions.c \
	%D%/app.c %D%/app.h \
	%D%/app_state.c %D%/app_state.h \
	%D%/columns.c \
	%D%/commands.c \
	%D%/config.c \
	%D%/copy_command.c \
	%D%/filter_line.c \
	%D%/filter_list.c \
	%D%/finder.c \
	%D%/frame.c \
	%D%/hits.c \
	%D%/lists.c \
	%D%/man_pages.c %D%/man_pages.h \
	%D%/mark_list.c \
	%D%/message_list.c \
	%D%/newcomer.c \
	%D%/options.c \
	%D%/pairs.c \
	%D%/place_line.c \
	%D%/press.c \
	%D%/recent.c \
	%D%/record_screen.c \
	%D%/remember.c \
	%D%/reopen.c \
	%D%/save.c \
	%D%/save_line.c \
	%D%/save_perfetto.c \
	%D%/script.c \
	%D%/search_line.c \
	%D%/split.c \
	%D%/start.c \
	%D%/task_picker.c \
	%D%/view_list.c \
	%D%/view_table.c %D%/view_table.h \
	%D%/views.c \
	%D%/why_list.c
