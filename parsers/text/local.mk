# One record's text, in trace-cmd's style and the kernel's.  See README.md.
noinst_LIBRARIES += %D%/libtext.a
%C%_libtext_a_SOURCES = \
	%D%/graph_text.c %D%/graph_text.h \
	%D%/kernel_args.c %D%/kernel_args.h \
	%D%/kernel_graph.c %D%/kernel_graph.h \
	%D%/kernel_text.c %D%/kernel_text.h \
	%D%/kernel_text_blk.c \
	%D%/kernel_text_own.c \
	%D%/kernel_text_private.h \
	%D%/kernel_text_probe.c \
	%D%/kernel_text_syscall.c \
	%D%/plugin_text.c \
	%D%/plugin_text_34.c \
	%D%/plugin_text_function.c \
	%D%/plugin_text_kvm.c \
	%D%/plugin_text_private.h \
	%D%/record_text.c %D%/record_text.h \
	%D%/record_text_private.h \
	%D%/sched_text.c %D%/sched_text.h \
	%D%/short_text.c %D%/short_text.h \
	%D%/value_names.c %D%/value_names.h
