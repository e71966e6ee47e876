# All wake-ups: who woke whom.  See README.md.
noinst_LIBRARIES += %D%/libwakeups.a
%C%_libwakeups_a_SOURCES = \
	%D%/wakeups.c %D%/wakeups.h \
	%D%/wakeups_lists.c
