# The kernel's own text of records.  See README.md.
noinst_LIBRARIES += %D%/libkernel.a
%C%_libkernel_a_SOURCES = \
	%D%/kernel_fields.c %D%/kernel_fields.h \
	%D%/kernel_lines.c %D%/kernel_lines.h \
	%D%/kernel_options.c %D%/kernel_options.h \
	%D%/kernel_order.c %D%/kernel_order.h \
	%D%/kernel_window.c %D%/kernel_window.h \
	%D%/report_kernel_header.c %D%/report_kernel_header.h
