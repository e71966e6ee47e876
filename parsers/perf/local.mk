# Traces that perf recorded.  See README.md.
noinst_LIBRARIES += %D%/libperf.a
%C%_libperf_a_SOURCES = \
	%D%/perf_deferred.c %D%/perf_deferred.h \
	%D%/perf_file.c %D%/perf_file.h \
	%D%/perf_index.c %D%/perf_index.h \
	%D%/perf_kernel.c %D%/perf_kernel.h \
	%D%/perf_record.c \
	%D%/perf_sample.c %D%/perf_sample.h \
	%D%/perf_source.c %D%/perf_source.h \
	%D%/perf_stream.c %D%/perf_stream.h \
	%D%/perf_target.c %D%/perf_target.h \
	%D%/perf_tasks.c %D%/perf_tasks.h \
	%D%/perf_tracing.c \
	%D%/perf_types.c %D%/perf_types.h \
	%D%/perf_unpack.c
