# What was changed in tracefs, so that it can be undone.  See README.md.
noinst_LIBRARIES += %D%/libjournal.a
%C%_libjournal_a_SOURCES = \
	%D%/journal.c %D%/journal.h \
	%D%/journal_private.h \
	%D%/journal_read.c \
	%D%/journal_top.c \
	%D%/journal_undo.c \
	%D%/leftover.c %D%/leftover.h
