# What a view is, and the parts around it: header, help, detail.  See README.md.
noinst_LIBRARIES += %D%/libview.a
%C%_libview_a_SOURCES = \
	%D%/detail.c %D%/detail.h \
	%D%/header.c %D%/header.h \
	%D%/help.c %D%/help.h \
	%D%/host.c %D%/host.h \
	%D%/latency_panel.c %D%/latency_panel.h \
	%D%/list_tabs.c %D%/list_tabs.h \
	%D%/manual.c %D%/manual.h \
	%D%/no_calls.c %D%/no_calls.h \
	%D%/nothing_left.c %D%/nothing_left.h \
	%D%/tour.c %D%/tour.h \
	%D%/view.c %D%/view.h
