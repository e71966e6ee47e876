# The loop, keys and the frame.  See README.md.
noinst_LIBRARIES += %D%/libapp.a
%C%_libapp_a_SOURCES = \
	%D%/actions.c %D%/actions.h \
	%D%/app.c %D%/app.h \
	%D%/copy_command.c %D%/copy_command.h \
	%D%/frame.c %D%/frame.h \
	%D%/guard.c %D%/guard.h \
	%D%/loop.h \
	%D%/man_pages.c %D%/man_pages.h \
	%D%/press.c %D%/press.h \
	%D%/record_screen.c %D%/record_screen.h \
	%D%/script.c %D%/script.h \
	%D%/start.c %D%/start.h \
	%D%/trouble.c %D%/trouble.h
