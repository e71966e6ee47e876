/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_slow - goes to the next slow call; workers find them. */
#include "ui/graph/view_graph.h"
#include "ui/rows/slow.h"

void graph_step_to_slow(struct view *view)
{
	struct shared *shared = view->shared;
	const struct graph_row *row = graph_here(view);
	const struct slow_place *place;
	trace_ref exit = 0;
	int64_t key = view->sought;	/* used if nothing is shown */
	bool forward = view->slow_step > 0, round = false;

	view->slow_step = 0;
	if (!shared->chosen.threshold)
		shared->chosen.threshold = (int64_t)slow_places_mark(view->slow, 5);
	if (!shared->chosen.threshold)
		shared->chosen.threshold = 10000;
	if (row)
		slow_places_find(view->slow, (uint64_t)shared->chosen.threshold,
				 graph_call(view, row), &key, &exit);
	place = slow_places_next(view->slow, (uint64_t)shared->chosen.threshold, key, exit,
				 forward);
	if (!place) {
		round = true;
		place = slow_places_next(view->slow, (uint64_t)shared->chosen.threshold,
					 forward ? INT64_MIN : INT64_MAX, 0, forward);
	}
	if (!place || (round && place->exit == exit)) {
		host_message(view->host, place ? "this is the only slow call" :
						 "no call is slow here; T sets the threshold");
		return;
	}
	host_jump_to(view->host, &(struct place){ .set = true,
						  .ref = place->exit,
						  .ts = place->start,
						  .file = view->file,
						  .pid = place->pid,
						  .cpu = view->stream_cpus[place->stream] });
	if (round)
		host_wrapped(view->host, forward);
	if ((uint64_t)shared->chosen.threshold < slow_places_least(view->slow)) {
		struct text t = { 0 };

		shared_span(shared, (int64_t)slow_places_least(view->slow), &t);
		host_message(view->host,
			     "there are too many: some calls shorter than %s are left "
			     "out",
			     text_str(&t));
		text_fini(&t);
	}
}

void graph_look_for_slow(struct view *view, bool forward)
{
	struct slow_options options = { .trace = view->shared->trace, .types = view->types,
					.file = view->file,
					.buffer = view->buffer,
					.slices = true,
					.workers = trace_workers(view->shared->trace) };

	if (!view->window)
		return;
	options.scope = call_scope_of_calls(&view->scope);
	options.net = slow_by_net(view->shared, view->file);
	view->slow_step = forward ? 1 : -1;
	if (view->slow && view->slow_net != options.net) {
		slow_places_free(view->slow);
		view->slow = NULL;
	}
	view->slow_net = options.net;
	if (!view->slow)
		view->slow = slow_places_new(&options);
	if (slow_places_are_done(view->slow))
		graph_step_to_slow(view);
	else
		host_work(view->host);
}
