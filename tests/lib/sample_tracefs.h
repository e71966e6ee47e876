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

/* With two monitors of runtime verification alone, and two in a container. */
static inline void sample_monitors(struct fake_tracefs *fake)
{
	static const char *const folders[] = { "wip", "wwnr", "sched", "sched/sco", "sched/sts" };
	static const char *const events[] = { "event_wip",  "error_wip",  "event_wwnr",
					      "error_wwnr", "event_sco",  "error_sco",
					      "event_sts",  "error_sts",  "error_env_sts",
					      "rv_retries_error" };
	char path[384];

	fake_tracefs_put(fake, "rv/available_monitors", "wip\nwwnr\nsched\nsched:sco\nsched:sts\n");
	fake_tracefs_put(fake, "rv/enabled_monitors", "wip\n");
	fake_tracefs_put(fake, "rv/monitoring_on", "1\n");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "rv/monitors/%s/enable", folders[i]);
		fake_tracefs_put(fake, path, i ? "0\n" : "1\n");
		snprintf(path, sizeof(path), "rv/monitors/%s/desc", folders[i]);
		fake_tracefs_put(fake, path, "what it verifies.\n");
	}
	fake_tracefs_put(
		fake, "available_events",
		"sched:sched_switch\nrv:event_wip\nrv:error_wip\nrv:event_wwnr\nrv:error_wwnr\n"
		"rv:event_sco\nrv:error_sco\nrv:event_sts\nrv:error_sts\nrv:error_env_sts\n"
		"rv:rv_retries_error\n");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		fake_event(fake, "rv", events[i], "\tfield:int id;\toffset:8;\n");
}
#endif
