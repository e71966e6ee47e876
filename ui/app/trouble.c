/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/trouble.h"

#include <inttypes.h>

#include "src/events/verdicts.h"
#include "src/sched/sched_pass.h"
#include "ui/app/loop.h"
#include "ui/desk/views.h"
#include "ui/rows/row.h"

/* --- what nothing marks ----------------------------------------------------------------------- */

/* The first file from @file on that may miss switches; or the number of files. */
static unsigned int file_with_switches(struct trace *trace, unsigned int file)
{
	while (file < trace_nr_files(trace) && !trace_has_switches(trace, file))
		file++;
	return file;
}

/* The hypervisor ran others meanwhile: no event is lost by that. */
static void add_stolen(const struct app *app, struct text *out)
{
	const struct machine *machine = trace_machine(app->shared.trace, app->shared.at.here.file);
	uint64_t ticks = machine_stolen(machine, -1);

	if (ticks)
		text_printf(out, "%.3f s of CPUs were stolen: see Summary; ",
			    (double)machine_ticks_ns(machine, ticks) / 1e9);
}

static void tell(struct app *app)
{
	const struct missing *m = &app->loop->missing;
	struct text t = { 0 };

	if (m->has_others && !m->nr && shared_nr_warnings(&app->shared)) {
		app_say_warnings(app);	/* what is marked is not all */
		return;
	}
	add_stolen(app, &t);
	if (m->absent.len)
		text_printf(&t, "%s: nothing was recorded then; ", text_str(&m->absent));
	if (m->nr)
		text_printf(&t, "%" PRIu64 " or more switches are missing, %s", m->nr,
			    trace_missing_words(app->shared.trace, -1));
	else if (m->has_others)
		text_add(&t, t.len ? "no other event is lost" : "this is the only problem");
	else if (m->absent.len)
		text_add(&t, "no event is lost");
	else if (m->left_out)
		text_printf(&t, "nothing lost or damaged; but %s", m->left_out);
	else if (sched_lacks_wakes(app->shared.trace, app->shared.at.here.file))
		text_printf(&t, "nothing lost or damaged; but %s (-e sched_waking)",
			    verdict_words(VERDICT_LACKS_WAKES, false));
	else
		text_printf(&t, "nothing was lost: no lost, damaged or unknown events%s",
			    m->looked ? ", no missing switch" : "");
	app_message(app, "%s", text_str(&t));
	text_fini(&t);
}

/* The model of the Timeline knows; if it is not made yet, that is waited for. */
static void step(struct app *app)
{
	struct missing *m = &app->loop->missing;
	struct trace *trace = app->shared.trace;

	if (m->file < trace_nr_files(trace)) {
		m->looked = true;
		if (!m->sched)
			m->sched = shared_take_sched(&app->shared, m->file);
		if (!sched_progress(m->sched).done)
			return;
		sched_lock(m->sched);
		m->nr += sched_rules_missing(sched_pass_rules(sched_pass_of(m->sched)));
		sched_pass_absent(sched_pass_of(m->sched), &m->absent);
		m->left_out = m->left_out ?: sched_pass_left_out(sched_pass_of(m->sched));
		sched_unlock(m->sched);
		shared_give_sched(&app->shared, m->sched);
		m->sched = NULL;
		m->file = file_with_switches(trace, m->file + 1);
	}
	if (m->file < trace_nr_files(trace))
		return;
	tell(app);
	app_end_job(app);
}

static void end(struct app *app)
{
	shared_give_sched(&app->shared, app->loop->missing.sched);
	app->loop->missing.sched = NULL;
	text_fini(&app->loop->missing.absent);
}

static bool waits(const struct app *app)
{
	return app->loop->missing.sched;
}

static void progress(const struct app *app, struct text *out)
{
	const struct sched *sched = app->loop->missing.sched;

	text_printf(out, "Esc stops; %u %% searched for missing switches",
		    sched ? sched_progress(sched).permille / 10 : 0);
}

static const struct job missing_job = {
	.step = step,
	.end = end,
	.waits = waits,
	.progress = progress,
	.stopped = "search for missing switches stopped",
};

/* Nothing, or nothing else, is marked. */
static void look_for_missing(struct app *app, bool has_others)
{
	app_end_job(app);
	app->loop->missing = (struct missing){
		.file = file_with_switches(app->shared.trace, 0),
		.has_others = has_others,
	};
	app_begin_job(app, &missing_job);
}

/* --- what is marked --------------------------------------------------------------------------- */

/* Lost events and damage have no row in some views: describe them in a message. */
static void say_trouble(struct app *app, trace_ref ref)
{
	struct trace_event event;
	struct text t = { 0 };
	struct row row = { 0 };

	if (app->ops->lines || !trace_event_at(app->shared.trace, ref, &event) ||
	    (event.kind != TRACE_ROW_LOST && event.kind != TRACE_ROW_DAMAGE))
		return;
	row_render(&row, &app->shared, &event, NULL, &row_any_room);
	row_sentence(&row, &app->shared, 6, &t);
	app_message(app, "%s", text_str(&t));
	row_fini(&row);
	text_fini(&t);
}

void trouble_next(struct app *app)
{
	/* The row shown for the last one may differ: it may be the call it happened in. */
	bool there = app->loop->trouble_shown != TRACE_REF_NONE &&
		     app->shared.at.here.ref == app->loop->trouble_shown,
	     wrapped = false;
	trace_ref from = there ? app->loop->trouble :
				 shared_row_of(&app->shared, &app->shared.at.here);
	bool complete = trace_status(app->shared.trace).complete; /* before it is looked for */
	trace_ref ref = trace_next_trouble(app->shared.trace, from, &wrapped);
	struct place place = shared_place(&app->shared, ref);

	if (ref == TRACE_REF_NONE && shared_nr_warnings(&app->shared)) {
		app_say_warnings(app);
	} else if (ref == TRACE_REF_NONE && !complete) {
		app_message(app, "no lost or damaged events so far; indexing has not finished");
	} else if (ref == TRACE_REF_NONE) {
		look_for_missing(app, false);
	} else if (app->shared.at.here.set &&
		   ref == (there ? app->loop->trouble : app->shared.at.here.ref)) {
		look_for_missing(app, true);
	} else {
		views_jump_to_place(app, &place);
		if (wrapped)
			app_message(app, "wrapped to the beginning");
		say_trouble(app, ref);
		views_publish(app);
		app->loop->trouble = ref;
		app->loop->trouble_shown = app->shared.at.here.set ? app->shared.at.here.ref :
								     TRACE_REF_NONE;
	}
}
