/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * who_spans - prints who the tasks of a trace are, span by span: a JSON object each.  For tests.
 */
#include <stdio.h>

#include "src/base/json_out.h"
#include "src/trace/trace.h"

static void put(struct text *out, const char *key, const char *value)
{
	if (value)
		json_out_string(out, key, value);
	else
		json_out_null(out, key);
}

static void print_span(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	struct text *out = arg;

	text_clear(out);
	json_out_object(out, NULL);
	json_out_i64(out, "pid", pid);
	json_out_i64(out, "from", from);
	json_out_i64(out, "to", to);
	json_out_i64(out, "tgid", who->tgid);
	json_out_i64(out, "parent", who->parent);
	json_out_i64(out, "uid", who->uid);
	put(out, "user", who->user);
	put(out, "exe", who->exe);
	put(out, "cmdline", who->cmdline);
	put(out, "cgroup", who->cgroup);
	json_out_bool(out, "kernel", who->is_kernel);
	json_out_end_line(out);
	fputs(text_str(out), stdout);
}

int main(int argc, char **argv)
{
	struct ft_error err = { 0 };
	struct text line = { 0 };
	struct trace *trace;
	char text[512];

	if (argc != 2) {
		fprintf(stderr, "usage: who_spans TRACE\n");
		return 2;
	}
	trace = trace_open((const char *const *)argv + 1, 1, false, NULL, &err);
	if (!trace) {
		fprintf(stderr, "who_spans: %s\n", ft_error_text(&err, NULL, text, sizeof(text)));
		return 1;
	}
	trace_wait(trace);
	trace_who_each(trace, 0, print_span, &line);
	text_fini(&line);
	trace_close(trace);
	return 0;
}
