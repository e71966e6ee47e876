# The files of tracefs, and facts about the kernel.  See README.md.
noinst_LIBRARIES += %D%/libtracefs.a
%C%_libtracefs_a_CFLAGS = $(AM_CFLAGS) $(TRACEFS_CFLAGS)
%C%_libtracefs_a_SOURCES = \
	%D%/build_id.c %D%/build_id.h \
	%D%/clock_reading.c %D%/clock_reading.h \
	%D%/command.c %D%/command.h \
	%D%/comms.c %D%/comms.h \
	%D%/dynamic_event.c %D%/dynamic_event.h \
	%D%/event_formats.c %D%/event_formats.h \
	%D%/invoker.c %D%/invoker.h \
	%D%/kernel_config.c %D%/kernel_config.h \
	%D%/kernel_facts.c %D%/kernel_facts.h \
	%D%/kernel_module.c %D%/kernel_module.h \
	%D%/last_boot.c %D%/last_boot.h \
	%D%/lock_probes.c %D%/lock_probes.h \
	%D%/monitors.c %D%/monitors.h \
	%D%/name_list.c %D%/name_list.h \
	%D%/others.c %D%/others.h \
	%D%/owner.c %D%/owner.h \
	%D%/pattern.c %D%/pattern.h \
	%D%/probe_misses.c %D%/probe_misses.h \
	%D%/saved_boot.c %D%/saved_boot.h \
	%D%/refusal.c %D%/refusal.h \
	%D%/removal.c %D%/removal.h \
	%D%/synth_query.c %D%/synth_query.h \
	%D%/tracefs_dir.c %D%/tracefs_dir.h \
	%D%/user_maps.c %D%/user_maps.h
