# Who ran, waited and slept: one pass over switches and wake-ups.  See README.md.
noinst_LIBRARIES += %D%/libsched.a
%C%_libsched_a_SOURCES = \
	%D%/event_counts.c %D%/event_counts.h \
	%D%/host_vcpus.c %D%/host_vcpus.h \
	%D%/kept_tasks.c %D%/kept_tasks.h \
	%D%/limits/limit_periods.c \
	%D%/limits/limit_stretches.c %D%/limits/limit_stretches.h \
	%D%/limits/limits_untold.c %D%/limits/limits_untold.h \
	%D%/pyramid.c %D%/pyramid.h \
	%D%/run_queue.c %D%/run_queue.h \
	%D%/sched.c %D%/sched.h \
	%D%/sched_cause.c %D%/sched_cause.h \
	%D%/sched_feed.c %D%/sched_feed.h \
	%D%/sched_filter.c %D%/sched_filter.h \
	%D%/sched_interrupts.c %D%/sched_interrupts.h \
	%D%/sched_job.c %D%/sched_job.h \
	%D%/sched_only.c %D%/sched_only.h \
	%D%/limits/sched_limits.c %D%/limits/sched_limits.h %D%/limits/sched_limits_private.h \
	%D%/sched_pass.c %D%/sched_pass.h \
	%D%/sched_rules.c %D%/sched_rules.h %D%/sched_rules_private.h \
	%D%/sched_scan.c %D%/sched_scan.h \
	%D%/sched_slices.c \
	%D%/sched_source.c %D%/sched_source.h \
	%D%/sched_tell.c %D%/sched_tell.h \
	%D%/limits/sched_throttle.c \
	%D%/sched_types.c %D%/sched_types.h \
	%D%/sched_values.c %D%/sched_values.h \
	%D%/task_pairs.c %D%/task_pairs.h \
	%D%/task_groups.c %D%/task_groups.h \
	%D%/task_columns.c %D%/task_columns.h \
	%D%/task_table.c %D%/task_table.h \
	%D%/time_slices.h \
	%D%/wait_parts.c %D%/wait_parts.h
