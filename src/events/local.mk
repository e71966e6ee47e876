# What is said of events.  See README.md.
noinst_LIBRARIES += %D%/libevents.a
%C%_libevents_a_SOURCES = \
	%D%/template.c %D%/template.h
