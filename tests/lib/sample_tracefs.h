/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_SAMPLE_TRACEFS_H
#define FTOP_TESTS_SAMPLE_TRACEFS_H
/* sample_tracefs - a fake_tracefs with a few tracers, events and options in it. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/fake_tracefs.h"

/* What a file holds now; valid until the next call. */
static inline const char *fake_content(const struct fake_tracefs *fake, const char *name)
{
	static char content[4096];
	char *got = fake_tracefs_get(fake, name);

	snprintf(content, sizeof(content), "%s", got ? got : "(no file)");
	free(got);
	return content;
}

static inline void fake_event(struct fake_tracefs *fake, const char *system, const char *name,
			      const char *fields)
{
	char path[384], format[1024];

	snprintf(
		format, sizeof(format),
		"name: %s\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n%s",
		name, fields);
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	fake_tracefs_put(fake, path, format);
}

static inline void sample_tracefs_init(struct fake_tracefs *fake)
{
	fake_tracefs_init(fake);
	fake_tracefs_put(fake, "available_tracers", "function_graph function nop\n");
	fake_tracefs_put(fake, "current_tracer", "nop\n");
	fake_tracefs_put(fake, "trace_clock", "[local] global mono boot\n");
	fake_tracefs_put(fake, "tracing_on", "1\n");
	fake_tracefs_put(fake, "buffer_size_kb", "7 (expanded: 1408)\n");
	fake_tracefs_put(fake, "set_ftrace_filter", "#### all functions enabled ####\n");
	fake_tracefs_put(fake, "available_filter_functions",
			 "schedule\nvfs_read\nvfs_write\next4_file_open [ext4]\n");
	fake_tracefs_put(fake, "options/stacktrace", "0\n");
	fake_tracefs_put(fake, "options/overwrite", "1\n");
	fake_tracefs_put(fake, "kprobe_events", "");
	fake_tracefs_put(fake, "dynamic_events", "");
	fake_tracefs_put(fake, "instances/other/tracing_on", "1\n");
	fake_tracefs_put(
		fake, "available_events",
		"sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\nirq:softirq_entry\n");
	fake_event(fake, "sched", "sched_switch",
		   "\tfield:char prev_comm[16];\toffset:8;\n\tfield:pid_t prev_pid;\toffset:24;\n"
		   "\tfield:long prev_state;\toffset:32;\n\tfield:pid_t next_pid;\toffset:56;\n");
	fake_event(fake, "sched", "sched_waking",
		   "\tfield:char comm[16];\toffset:8;\n\tfield:pid_t pid;\toffset:24;\n");
	fake_event(fake, "irq", "irq_handler_entry",
		   "\tfield:int irq;\toffset:8;\n\tfield:__data_loc char[] name;\toffset:12;\n");
	fake_event(fake, "irq", "softirq_entry", "\tfield:unsigned int vec;\toffset:8;\n");
}
#endif
