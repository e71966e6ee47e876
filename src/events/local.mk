# What is said of events.  See README.md.
noinst_LIBRARIES += %D%/libknown.a
%C%_libknown_a_CPPFLAGS = $(AM_CPPFLAGS) -I.
%C%_libknown_a_SOURCES = \
	%D%/known_events.c %D%/known_events.h \
	%D%/template.c %D%/template.h \
	%D%/verdicts.c %D%/verdicts.h %D%/verdicts.def

# What is known, in the order in which kinds of latency are listed.
known_events = \
	%D%/known/tasks.events \
	%D%/known/irq.events \
	%D%/known/timer.events \
	%D%/known/workqueue.events \
	%D%/known/irq_vectors.events \
	%D%/known/syscalls.events \
	%D%/known/lock.events \
	%D%/known/preemptirq.events \
	%D%/known/block.events \
	%D%/known/fs.events \
	%D%/known/nfs.events \
	%D%/known/net.events \
	%D%/known/kvm.events \
	%D%/known/gpu.events \
	%D%/known/bus.events \
	%D%/known/sound.events \
	%D%/known/ros2.events \
	%D%/known/ftrace.events \
	%D%/known/rv.events \
	%D%/known/kernel.events \
	%D%/known/memory.events \
	%D%/known/osnoise.events \
	%D%/known/power.events \
	%D%/known/sched_ext.events \
	%D%/known/sched.events \
	%D%/known/task.events
EXTRA_DIST += $(known_events)
BUILT_SOURCES += %D%/known_files.h
%D%/known_files.h: $(known_events) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
		echo 'static const struct known_file {'; \
		echo '	const char	*name, *contents;'; \
		echo '} known_files[] = {'; \
		for file in $(known_events); do \
			echo "{ \"$$file\","; \
			sed -e 's/\\/&&/g' -e 's/"/\\&/g' -e 's/.*/"&\\n"/' '$(srcdir)'/$$file || exit 1; \
			echo '},'; \
		done; \
		echo '};'; } > $@.tmp && mv $@.tmp $@
CLEANFILES += %D%/known_files.h
nodist_%C%_libknown_a_SOURCES = %D%/known_files.h
%D%/libknown_a-known_events.$(OBJEXT): %D%/known_files.h
