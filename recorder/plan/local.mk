# Checks a recording before anything is touched.  See README.md.
noinst_LIBRARIES += %D%/libplan.a
%C%_libplan_a_SOURCES = \
	%D%/plan_boot.c %D%/plan_boot.h \
	%D%/plan_buffers.c %D%/plan_buffers.h \
	%D%/plan_cpus.c %D%/plan_cpus.h \
	%D%/plan_functions.c %D%/plan_functions.h \
	%D%/plan_limits.c %D%/plan_limits.h \
	%D%/plan_measure.c %D%/plan_measure.h \
	%D%/plan_modules.c %D%/plan_modules.h \
	%D%/plan_monitors.c %D%/plan_monitors.h \
	%D%/plan_pids.c %D%/plan_pids.h \
	%D%/plan_probes.c %D%/plan_probes.h \
	%D%/plan_queries.c %D%/plan_queries.h \
	%D%/plan_triggers.c %D%/plan_triggers.h \
	%D%/plan_user_events.c %D%/plan_user_events.h \
	%D%/record_fields.h \
	%D%/record_plan.c %D%/record_plan.h
