/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/slow.h"

#include "src/calls/graph_records.h"

static bool tells_away(struct shared *shared, unsigned int file)
{
	struct trace *trace = shared->trace;
	unsigned int buffer;

	if (shared->away_known && shared->away_file == file)
		return shared->away;
	shared->has_calls = graph_has_calls(trace, file, &buffer);
	shared->away = shared->has_calls && graph_tells_away(trace, file, buffer);
	shared->away_file = file;
	shared->away_known = shared->away || trace_status(trace).complete;
	return shared->away;
}

bool slow_by_net(struct shared *shared, unsigned int file)
{
	return shared->trace && tells_away(shared, file) && !shared->by_wall;
}

void slow_text(const struct shared *shared, struct text *out)
{
	uint64_t threshold = (uint64_t)shared->threshold;
	char mark = text_duration_mark(threshold + 1);

	text_add(out, shared->away && !shared->by_wall ? "slow: net" : "slow: wall");
	if (!threshold)
		return;
	text_add(out, " ≥ ");
	if (mark != text_duration_mark(threshold))
		text_char(out, mark);
	else
		shared_span(shared, shared->threshold, out);
}
