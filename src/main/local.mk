# What src/main.c does around the commands.  See README.md.
noinst_LIBRARIES += %D%/libmain.a
%C%_libmain_a_SOURCES = \
	%D%/cmd_browse.c %D%/cmd_browse.h \
	%D%/cmd_live.c %D%/cmd_live.h \
	%D%/set_up.c %D%/set_up.h
