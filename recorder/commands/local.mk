# The commands record, recover, list, hist and doctor.  See README.md.
noinst_LIBRARIES += %D%/libcommands.a
%C%_libcommands_a_SOURCES = \
	%D%/cmd_doctor.c \
	%D%/cmd_extract.c \
	%D%/cmd_hist.c \
	%D%/cmd_list.c \
	%D%/cmd_record.c \
	%D%/cmd_recover.c \
	%D%/command_env.c %D%/command_env.h \
	%D%/record_commands.h \
	%D%/record_complete.c \
	%D%/record_manual.c %D%/record_manual.h \
	%D%/record_options.c %D%/record_options.h \
	%D%/record_risk.c %D%/record_risk.h \
	%D%/record_until.c %D%/record_until.h
