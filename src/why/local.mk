# What an interval of a task was spent on.  See README.md.
noinst_LIBRARIES += %D%/libwhy.a
%C%_libwhy_a_SOURCES = \
	%D%/cpu_parts.c %D%/cpu_parts.h \
	%D%/why.c %D%/why.h \
	%D%/why_lists.c \
	%D%/why_rule.c %D%/why_rule.h
