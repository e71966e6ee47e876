# The conditions of record --until.  See README.md.
noinst_LIBRARIES += %D%/libuntil.a
%C%_libuntil_a_SOURCES = \
	%D%/until.c %D%/until.h \
	%D%/until_bind.c \
	%D%/until_judge.c \
	%D%/until_private.h
