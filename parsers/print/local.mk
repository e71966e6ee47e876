# Print formats become programs.  See README.md.
noinst_LIBRARIES += %D%/libprint.a
%C%_libprint_a_SOURCES = \
	%D%/binary_printf.c %D%/binary_printf.h \
	%D%/format_pattern.c %D%/format_pattern.h \
	%D%/kernel_constants.c %D%/kernel_constants.h \
	%D%/print_compile.c \
	%D%/print_compile_kernel.c \
	%D%/print_compile_tep.c \
	%D%/print_expression.c \
	%D%/print_format.c %D%/print_format.h \
	%D%/print_format_tep.c %D%/print_format_tep.h \
	%D%/print_lexer.c %D%/print_lexer.h \
	%D%/print_number.c %D%/print_number.h \
	%D%/print_parser.c %D%/print_parser.h \
	%D%/print_pattern.c \
	%D%/print_program.h \
	%D%/print_record.h \
	%D%/print_run.c %D%/print_run.h \
	%D%/print_run_bytes.c \
	%D%/print_tep_constants.c \
	%D%/print_tep_parser.c %D%/print_tep_parser.h \
	%D%/print_types.c \
	%D%/text_context.h \
	%D%/text_pattern.c %D%/text_pattern.h
