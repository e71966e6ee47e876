# Event formats, fields, names of tasks and symbols.  See README.md.
noinst_LIBRARIES += %D%/libtypes.a
%C%_libtypes_a_SOURCES = \
	%D%/btf.c %D%/btf.h \
	%D%/comm_table.c %D%/comm_table.h \
	%D%/event_format.c %D%/event_format.h \
	%D%/event_header.c %D%/event_header.h \
	%D%/event_types.c %D%/event_types.h \
	%D%/field.c %D%/field.h \
	%D%/kallsyms.c %D%/kallsyms.h \
	%D%/machine.c %D%/machine.h \
	%D%/printk_formats.c %D%/printk_formats.h \
	%D%/report_comms.c %D%/report_comms.h \
	%D%/tgid_table.c %D%/tgid_table.h \
	%D%/user_symbols.c %D%/user_symbols.h \
	%D%/who_lines.c \
	%D%/who_table.c %D%/who_table.h %D%/who_table_private.h
