# Records.  See README.md.
noinst_LIBRARIES += %D%/librun.a
%C%_librun_a_CFLAGS = $(AM_CFLAGS) $(TRACEFS_CFLAGS)
%C%_librun_a_SOURCES = \
	%D%/census.c %D%/census.h \
	%D%/census_clock.c %D%/census_clock.h \
	%D%/census_strings.c %D%/census_strings.h \
	%D%/cgroup_facts.c %D%/cgroup_facts.h \
	%D%/cpu_reader.c %D%/cpu_reader.h \
	%D%/exit_names.c %D%/exit_names.h \
	%D%/extract.c %D%/extract.h \
	%D%/instance.c %D%/instance.h \
	%D%/judge_link.c %D%/judge_link.h \
	%D%/machine_lines.c %D%/machine_lines.h \
	%D%/measure.c %D%/measure.h \
	%D%/mapped_ring.c %D%/mapped_ring.h \
	%D%/max_records.c %D%/max_records.h \
	%D%/priority.c %D%/priority.h \
	%D%/record.c %D%/record.h \
	%D%/record_events.c \
	%D%/record_hists.c \
	%D%/record_judge.c \
	%D%/record_maps.c \
	%D%/record_meta.c \
	%D%/record_state.h \
	%D%/record_status.c \
	%D%/record_steal.c \
	%D%/record_watch.c \
	%D%/ring_stats.c %D%/ring_stats.h \
	%D%/sched_facts.c %D%/sched_facts.h \
	%D%/status_stream.c %D%/status_stream.h \
	%D%/steal_watch.c %D%/steal_watch.h \
	%D%/timerlat_user.c %D%/timerlat_user.h \
	%D%/watcher.c %D%/watcher.h
