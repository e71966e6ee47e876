# Rights: the confinement, the broker, child processes.  See README.md.
noinst_LIBRARIES += %D%/libsandbox.a
%C%_libsandbox_a_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
%C%_libsandbox_a_SOURCES = \
	%D%/broker.c %D%/broker.h \
	%D%/broker_confirm.c \
	%D%/broker_judge.c \
	%D%/broker_part.c \
	%D%/broker_place.c \
	%D%/broker_private.h \
	%D%/broker_serve.c \
	%D%/child.c %D%/child.h \
	%D%/confine.c %D%/confine.h \
	%D%/spawner.c %D%/spawner.h
