/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/perfetto.h"

#include "src/export/proto.h"

/* Numbers of fields, in perfetto/trace/trace.proto, trace_packet.proto and process_tree.proto. */
enum { TRACE_PACKET = 1 };
enum { PACKET_PROCESS_TREE = 2 };
enum { TREE_THREAD = 2 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };

struct perfetto {
	struct trace	*trace;
	const struct event_sweep_options *what;
	struct output	*out;
};

static void add_thread(void *arg, int pid, const char *name)
{
	struct perfetto *p = arg;
	struct text *out = &p->out->block;
	size_t thread = proto_begin(out, TREE_THREAD);
	int tgid;

	proto_number(out, THREAD_TID, (uint64_t)pid);
	if (trace_tgid(p->trace, p->what->file, pid, INT64_MAX, &tgid))
		proto_number(out, THREAD_TGID, (uint64_t)tgid);
	proto_string(out, THREAD_NAME, name);
	proto_end(out, thread);
}

static void add_names(struct perfetto *p)
{
	struct text *out = &p->out->block;
	size_t packet = proto_begin(out, TRACE_PACKET);
	size_t tree = proto_begin(out, PACKET_PROCESS_TREE);

	trace_comms(p->trace, p->what->file, add_thread, p);
	proto_end(out, tree);
	proto_end(out, packet);
}

int perfetto_export(struct trace *trace, const struct event_sweep_options *what, struct output *out,
		    struct ft_error *err)
{
	struct perfetto p = { .trace = trace, .what = what, .out = out };

	add_names(&p);
	return output_more(out, err);
}
