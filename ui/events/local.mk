# The Events view.  See README.md.
noinst_LIBRARIES += %D%/libevents.a
%C%_libevents_a_SOURCES = \
	%D%/events_draw.c \
	%D%/events_row.c \
	%D%/events_text.c \
	%D%/view_events.c %D%/view_events.h
