# Trace-cmd's text of records.  See README.md.
noinst_LIBRARIES += %D%/libreport.a
%C%_libreport_a_SOURCES = \
	%D%/report.c %D%/report.h \
	%D%/report_access.c %D%/report_access.h \
	%D%/report_babeltrace.c %D%/report_babeltrace.h \
	%D%/report_blocks.c %D%/report_blocks.h \
	%D%/report_filter.c %D%/report_filter.h \
	%D%/report_form.c %D%/report_form.h \
	%D%/report_kernel.c %D%/report_kernel.h \
	%D%/report_line.c %D%/report_line.h \
	%D%/report_order.c %D%/report_order.h \
	%D%/report_perf.c %D%/report_perf.h \
	%D%/report_private.h \
	%D%/report_records.c \
	%D%/report_rows.c %D%/report_rows.h \
	%D%/report_search.c %D%/report_search.h \
	%D%/report_skip.c %D%/report_skip.h \
	%D%/report_window.c %D%/report_window.h
