# What every form of a trace has.  See README.md.
noinst_LIBRARIES += %D%/libsource.a
%C%_libsource_a_SOURCES = \
	%D%/page_maker.c %D%/page_maker.h \
	%D%/perf_name.c %D%/perf_name.h \
	%D%/record_bound.c %D%/record_bound.h \
	%D%/source.c %D%/source.h \
	%D%/source_form.h \
	%D%/sub_buffer.c %D%/sub_buffer.h
