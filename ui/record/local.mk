# The record screen.  See README.md.
noinst_LIBRARIES += %D%/librecord.a
%C%_librecord_a_SOURCES = \
	%D%/record.c %D%/record.h %D%/record_private.h \
	%D%/record_ask.c \
	%D%/record_draw.c \
	%D%/record_draw_run.c \
	%D%/record_list.c \
	%D%/record_meaning.c \
	%D%/record_run.c \
	%D%/record_setup.c %D%/record_setup.h \
	%D%/record_state.c
