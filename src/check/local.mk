# What a trace is to fulfil: rules.  See README.md.
noinst_LIBRARIES += %D%/libcheck.a
%C%_libcheck_a_SOURCES = \
	%D%/check_rules.c %D%/check_rules.h
