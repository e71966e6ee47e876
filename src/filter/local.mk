# Which events a filter keeps: its language, from text to a program.  See README.md.
noinst_LIBRARIES += %D%/libfilter.a
%C%_libfilter_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS)
%C%_libfilter_a_SOURCES = \
	%D%/derived_values.c %D%/derived_values.h \
	%D%/filter.c %D%/filter.h \
	%D%/filter_bind.c %D%/filter_bind.h \
	%D%/filter_bind_compare.c \
	%D%/filter_bind_line.c \
	%D%/filter_bind_note.c \
	%D%/filter_bind_number.c \
	%D%/filter_bind_origin.c \
	%D%/filter_bind_word.c \
	%D%/filter_compat.c \
	%D%/filter_complete.c \
	%D%/filter_exclude.c \
	%D%/filter_help.c %D%/filter_help.h \
	%D%/filter_kernel.c %D%/filter_kernel.h \
	%D%/filter_lex.c %D%/filter_lex.h \
	%D%/filter_pattern.c %D%/filter_pattern.h \
	%D%/filter_models.c \
	%D%/filter_named.c %D%/filter_named.h \
	%D%/filter_names.c %D%/filter_names.h \
	%D%/filter_near.c %D%/filter_near.h \
	%D%/filter_offer.c %D%/filter_offer.h \
	%D%/filter_page.c \
	%D%/filter_parse.c \
	%D%/filter_private.h \
	%D%/filter_program.c %D%/filter_program.h \
	%D%/filter_reason.c \
	%D%/filter_run.c %D%/filter_run.h \
	%D%/filter_symbols.c \
	%D%/filter_tree.c %D%/filter_tree.h \
	%D%/filter_value.c %D%/filter_value.h \
	%D%/filter_words.c \
	%D%/regex_literals.c %D%/regex_literals.h
