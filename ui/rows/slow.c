/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/slow.h"

#include <string.h>

#include "src/calls/graph_records.h"

static bool tells_away(struct shared *shared, unsigned int file)
{
	struct trace *trace = shared->trace;
	unsigned int buffer;
	bool complete;

	if (shared->away_known && shared->away_file == file)
		return shared->away;
	complete = trace_status(trace).complete;	/* before they are looked for */
	shared->has_calls = graph_has_calls(trace, file, &buffer);
	shared->away = shared->has_calls && graph_tells_away(trace, file, buffer);
	shared->away_file = file;
	shared->away_known = shared->away || complete;
	return shared->away;
}

bool slow_by_net(struct shared *shared, unsigned int file)
{
	return shared->trace && tells_away(shared, file) && !shared->chosen.by_wall;
}

/* "1 ms" for "1.000 ms", "1.5 ms" for "1.500 ms" */
static void add_round(const struct shared *shared, int64_t span, struct text *out)
{
	struct text t = { 0 };
	const char *s, *unit;
	size_t len;

	shared_span(shared, span, &t);
	s = text_str(&t);
	unit = strchr(s, ' ');
	len = unit ? (size_t)(unit - s) : t.len;
	if (memchr(s, '.', len)) {
		while (s[len - 1] == '0')
			len--;
		len -= s[len - 1] == '.';
	}
	text_bytes(out, s, len);
	text_add(out, unit ? unit : "");
	text_fini(&t);
}

void slow_text(const struct shared *shared, struct text *out)
{
	text_add(out, "slow: ");
	if (shared->chosen.threshold) {
		text_add(out, "≥ ");
		add_round(shared, shared->chosen.threshold, out);
		text_char(out, ' ');
	}
	text_add(out, shared->away && !shared->chosen.by_wall ? "net" : "wall");
}
