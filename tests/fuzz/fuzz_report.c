/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_report - the report of the bytes as a trace, in both styles and with other options. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>

#include "src/report/report.h"

#define MAX_ITEMS	300

const char fuzz_name[] = "fuzz_report";

static const char *const all_columns[] = {
	"funcgraph-proc", "funcgraph-abstime", "funcgraph-tail", "funcgraph-overrun",
	"funcgraph-retval", "funcgraph-args", "latency-format",
};

static const struct report_options ways[] = {
	{ .latency = true, .nanoseconds = true, .compat = "3.4" },
	{ .raw = true, .ts_diff = true },
	{ .no_plugins = true, .no_irqs = true, .grep = "a.*[0-9]" },
	{ .text_style = REPORT_KERNEL, .plugin_options = all_columns,
	  .nr_plugin_options = sizeof(all_columns) / sizeof(all_columns[0]) },
	{ .format = FORMAT_JSON }, { .format = FORMAT_CSV, .text_style = REPORT_KERNEL },
	{ .raw_ts = true, .text_style = REPORT_KERNEL, .terminal = true },
};

static void report(const char *path, struct report_options options, int fd)
{
	struct ft_error err = { 0 };

	options.inputs = &path;
	options.nr_inputs = 1;
	options.head = MAX_ITEMS;
	options.tail = -1;
	options.nr_threads = 1;
	if (report_run(&options, fd, &err))
		assert(err.code != FT_E_NONE && err.message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	const char *path = fuzz_file(data, size);

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!path)
		return 0;
	report(path, (struct report_options){ 0 }, fd);
	report(path, (struct report_options){ .text_style = REPORT_KERNEL }, fd);
	report(path, ways[size % (sizeof(ways) / sizeof(ways[0]))], fd);
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	fuzz_add_traces(add, arg);
}
