# The text commands.  See README.md.
noinst_LIBRARIES += %D%/libcommands.a
%C%_libcommands_a_SOURCES = \
	%D%/check_baseline.c %D%/check_baseline.h \
	%D%/check_look.c %D%/check_look.h \
	%D%/check_report.c %D%/check_report.h \
	%D%/cmd_check.c \
	%D%/cmd_cut.c \
	%D%/cmd_diff.c \
	%D%/cmd_export.c \
	%D%/cmd_fields.c \
	%D%/cmd_graph.c \
	%D%/cmd_info.c \
	%D%/info_who.c %D%/info_who.h \
	%D%/kind_list.c %D%/kind_list.h \
	%D%/cmd_report.c \
	%D%/cmd_summary.c \
	%D%/cmd_symbols.c \
	%D%/cmd_timeline.c \
	%D%/command_open.c %D%/command_open.h \
	%D%/command_tables.c %D%/command_tables.h \
	%D%/commands.h \
	%D%/derived_names.c %D%/derived_names.h \
	%D%/graph_print.c %D%/graph_print.h \
	%D%/graph_print_private.h \
	%D%/graph_print_rows.c \
	%D%/json_page.c \
	%D%/list_command.c \
	%D%/judge.c %D%/judge.h \
	%D%/live_text.c %D%/live_text.h \
	%D%/table_command.c %D%/table_command.h \
	%D%/scope.c %D%/scope.h \
	%D%/table_parquet.c %D%/table_parquet.h \
	%D%/table_rows.c %D%/table_rows.h \
	%D%/trace_complete.c
