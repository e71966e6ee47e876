/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_SAMPLE_TRACEFS_H
#define FTOP_TESTS_SAMPLE_TRACEFS_H
/* sample_tracefs - a folder that looks like tracefs to what reads and writes its files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sample_tracefs {
	char	dir[64];
};

static inline void fake_file(const struct sample_tracefs *fake, const char *name, const char *content)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", fake->dir, name);
	for (char *p = path + strlen(fake->dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

/* What a file holds now; valid until the next call. */
static inline const char *fake_content(const struct sample_tracefs *fake, const char *name)
{
	static char content[4096];
	char path[512];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", fake->dir, name);
	f = fopen(path, "r");
	if (!f)
		return "(no file)";
	len = fread(content, 1, sizeof(content) - 1, f);
	content[len] = '\0';
	fclose(f);
	return content;
}

static inline void fake_event(const struct sample_tracefs *fake, const char *system, const char *name, const char *fields)
{
	char path[384], format[1024];

	snprintf(format, sizeof(format), "name: %s\nID: 1\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n%s",
		 name, fields);
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	fake_file(fake, path, format);
}

static inline void sample_tracefs_init(struct sample_tracefs *fake)
{
	strcpy(fake->dir, "/tmp/ftop-tracefs-XXXXXX");
	assert_non_null(mkdtemp(fake->dir));
	fake_file(fake, "available_tracers", "function_graph function nop\n");
	fake_file(fake, "current_tracer", "nop\n");
	fake_file(fake, "trace_clock", "[local] global mono boot\n");
	fake_file(fake, "tracing_on", "1\n");
	fake_file(fake, "buffer_size_kb", "7 (expanded: 1408)\n");
	fake_file(fake, "set_ftrace_filter", "#### all functions enabled ####\n");
	fake_file(fake, "available_filter_functions", "schedule\nvfs_read\nvfs_write\next4_file_open [ext4]\n");
	fake_file(fake, "options/stacktrace", "0\n");
	fake_file(fake, "options/overwrite", "1\n");
	fake_file(fake, "kprobe_events", "");
	fake_file(fake, "dynamic_events", "");
	fake_file(fake, "instances/other/tracing_on", "1\n");
	fake_file(fake, "available_events", "sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\nirq:softirq_entry\n");
	fake_event(fake, "sched", "sched_switch", "\tfield:char prev_comm[16];\toffset:8;\n\tfield:pid_t prev_pid;\toffset:24;\n"
		   "\tfield:long prev_state;\toffset:32;\n\tfield:pid_t next_pid;\toffset:56;\n");
	fake_event(fake, "sched", "sched_waking", "\tfield:char comm[16];\toffset:8;\n\tfield:pid_t pid;\toffset:24;\n");
	fake_event(fake, "irq", "irq_handler_entry", "\tfield:int irq;\toffset:8;\n\tfield:__data_loc char[] name;\toffset:12;\n");
	fake_event(fake, "irq", "softirq_entry", "\tfield:unsigned int vec;\toffset:8;\n");
}

static inline void sample_tracefs_fini(struct sample_tracefs *fake)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", fake->dir);
	assert_int_equal(system(command), 0);
}
#endif
