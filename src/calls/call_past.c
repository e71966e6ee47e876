/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_past.h"

#include <stdlib.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/trace/trace_streams.h"

#define RECORDS		1024u		/* read at a time */

struct call_past {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	uint32_t	 max_calls;
	struct graph_types *types;	/* owned; NULL: the file has no calls */
	struct graph_reader *reader;	/* owned; NULL: nothing is read yet */
	struct call_tree *tree;		/* owned */
	struct graph_record *records;	/* owned, [RECORDS] */
};

bool call_past_serves(struct trace *trace, unsigned int file, const struct graph_scope *scope)
{
	return scope && scope->has_from && !scope->outside && trace_grows(trace) &&
	       source_nr_buffers(trace_file_of(trace, file)) == 1;
}

struct call_past *call_past_new(struct trace *trace, unsigned int file, uint32_t max_calls)
{
	struct call_past *past = mem_alloc(sizeof(*past));

	past->trace = trace;
	past->file = file;
	past->max_calls = max_calls;
	past->types = graph_types_new(trace, file);
	past->records = mem_array(RECORDS, sizeof(*past->records));
	return past;
}

static void forget(struct call_past *past)
{
	graph_reader_free(past->reader);
	call_tree_free(past->tree);
}

void call_past_free(struct call_past *past)
{
	if (!past)
		return;
	forget(past);
	graph_types_free(past->types);
	free(past->records);
	free(past);
}

static void begin(struct call_past *past)
{
	static const struct graph_scope nothing = { .has_from = true, .has_to = true,
						    .from = INT64_MAX, .to = INT64_MIN };
	static const struct call_visitor nobody;	/* finished calls are freed */
	struct graph_reader_options options = {
		.scope = &nothing, .switches = graph_knows_away(past->trace, past->file, 0),
		.parks = true,
	};

	forget(past);
	past->reader = graph_reader_new(past->trace, past->types, past->file, 0, &options);
	past->tree = call_tree_new(&(struct call_tree_options){ .local_clock = options.switches,
								.max_calls = past->max_calls,
								.visitor = &nobody });
}

enum call_past_state call_past_reach(struct call_past *past, int64_t from, int64_t ns)
{
	bool more;

	if (!past->reader || !graph_reader_serves(past->reader, from))
		begin(past);
	do {
		unsigned int nr = graph_reader_read(past->reader, past->records, RECORDS);

		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(past->tree, &past->records[i]);
		more = nr || graph_reader_go_on(past->reader, from);
	} while (more && workers_now_ns() < ns);
	return more                                    ? CALL_PAST_MORE :
	       graph_reader_serves(past->reader, from) ? CALL_PAST_PARKED :
							 CALL_PAST_UNSURE;
}

void call_past_leave(const struct call_past *past, struct graph_reader *reader,
		     struct call_tree *tree)
{
	graph_reader_follow(reader, past->reader);
	call_tree_follow(tree, past->tree);
}
