/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_judge - the recorder's side of --until: another process reads the file, and says stop. */
#include "recorder/run/record_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/output_names.h"

#define NS_PER_S	1000000000
#define NEVER_RECORDED	"sched:sched_switch"	/* record_meta.c stores its format in any case */

static bool is_enabled(const struct recording *r, const char *name)
{
	const struct plan_catalog *c = &r->plan->catalog;
	bool enabled = false;

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		for (size_t i = 0; i < c->nr && !enabled; i++)
			enabled = r->plan->buffers[b].enabled[i] &&
				  !strcmp(name, TRACEFS_TEXT("%s:%s", c->events[i].system,
							     c->events[i].name));
	return enabled;
}

static bool records_a_part(const struct record_plan *plan)
{
	bool part = plan->pids.nr || plan->only_command;

	for (size_t b = 0; b < plan->nr_buffers; b++) {
		part |= plan->buffers[b].cpus != NULL;
		for (size_t i = 0; i < plan->buffers[b].nr_events; i++)
			part |= plan->buffers[b].events[i].filter != NULL;
	}
	return part;
}

static bool any_has(const struct name_list *list, const char *word)
{
	for (size_t i = 0; i < list->nr; i++)
		if (strstr(list->names[i], word))
			return true;
	return false;
}

/* By an option, a trigger, or a command of functions; or as others have set the top instance. */
static bool records_stacks(const struct record_plan *plan)
{
	static const char stack[] = "stack";
	bool any = plan->func_stack || plan->top;

	for (size_t b = 0; b < plan->nr_buffers && !any; b++) {
		const struct plan_buffer *buffer = &plan->buffers[b];

		any = any_has(&buffer->options, stack) || any_has(&buffer->functions, ":stack");
		for (size_t i = 0; i < buffer->nr_events && !any; i++)
			any = any_has(&buffer->events[i].triggers, stack);
	}
	return any;
}

static void tell_what(struct recording *r)
{
	if (!is_enabled(r, NEVER_RECORDED))
		judge_link_tell(&r->judge, "without", NEVER_RECORDED);
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->plan->buffers[b].tracer)
			judge_link_tell(&r->judge, "tracer", r->plan->buffers[b].tracer);
	if (records_stacks(r->plan))
		judge_link_tell(&r->judge, "stacks", NULL);
	if (records_a_part(r->plan))
		judge_link_tell(&r->judge, "partly", NULL);
	judge_link_tell(&r->judge, "ready", NULL);
}

struct answer {
	struct recording	*r;
	enum judge_word		 word;
};

static bool has_answered(void *arg)
{
	struct answer *a = arg;

	a->word = judge_link_word(&a->r->judge);
	return a->word != JUDGE_NOTHING || record_take_signal(a->r);
}

/* Wait for a word, or a signal: then JUDGE_NOTHING. */
static enum judge_word next_word(struct recording *r)
{
	struct answer answer = { .r = r };

	return await_done(&r->await, has_answered, &answer, await_clock_of(r->judge.pid)) ?
		       answer.word :
		       JUDGE_LATE;
}

int record_judge_begin(struct recording *r, struct ft_error *err)
{
	enum judge_word word;

	if (r->judge.fd < 0)
		return 0;
	if (output_update(r->output, err))
		return -1;
	tell_what(r);
	while ((word = next_word(r)) != JUDGE_GO) {
		if (word == JUDGE_REFUSE && r->judge.refusal.len)
			return ft_error_set(err, FT_E_USAGE, -1, "%.*s",
					    (int)r->judge.refusal.len - 1,
					    text_str(&r->judge.refusal));
		if (word != JUDGE_NOTHING)
			return ft_error_set(err, FT_E_IO, -1,
					    "--until: the process that judges it %s; nothing was "
					    "recorded",
					    word == JUDGE_LATE ? "does not answer" : "has died");
		if (record_ended_before_it_began(r, err))
			return -1;
	}
	return 0;
}

bool record_judge_stops(struct recording *r, const char **why)
{
	enum judge_word word = r->judge.fd < 0 ? JUDGE_NOTHING : judge_link_word(&r->judge);

	*why = word == JUDGE_STOP ? "--until" : "the end of the process that judges --until";
	return word != JUDGE_NOTHING;
}

/* "wakeup > 500us: wakeup of 1.763 ms: …, at 5.123456789, in t.1.dat" */
static void add_note(const struct recording *r, const char *line, int at, int64_t from,
		     unsigned int number)
{
	size_t condition = strcspn(line + at, "\t\n");
	const char *words = line + at + condition + (line[at + condition] == '\t');
	struct text *notes = &r->result->notes;

	text_printf(notes, "%.*s: %.*s", (int)condition, line + at, (int)strcspn(words, "\t\n"),
		    words);
	/* the clock measures ns, or there would be no --until */
	text_printf(notes, ", at %" PRId64 ".%09" PRId64, from / NS_PER_S, from % NS_PER_S);
	if (r->plan->split) {
		text_add(notes, ", in ");
		output_name_add(OUTPUT_NUMBER, r->plan->output, number, notes);
	}
	text_char(notes, '\n');
}

static void add_notes(const struct recording *r)
{
	const char *line = text_str(&r->judge.hits);
	unsigned int number = 0;
	int64_t from;
	int at = 0;

	for (size_t len = strcspn(line, "\n"); len; len = strcspn(line, "\n")) {
		if (sscanf(line, "hit %" SCNd64 " %*d %n", &from, &at) == 1 && at > 0 &&
		    (size_t)at < len)
			add_note(r, line, at, from, ++number);
		at = 0;
		line += len + (line[len] == '\n');
	}
	if (!r->judge.hits.len && !r->result->judge_is_late)
		text_printf(&r->result->notes, "--until: %s\n",
			    r->judge.doubt.len ? text_str(&r->judge.doubt) : "it did not happen");
}

void record_judge_end(struct recording *r)
{
	struct ft_error ignored;
	enum judge_word word;

	if (r->judge.fd < 0)
		return;
	if (!output_update(r->output, &ignored)) {
		judge_link_tell(&r->judge, "drained", NULL);
		do
			word = next_word(r);
		while (word == JUDGE_STOP);
		r->result->interrupted |= word == JUDGE_NOTHING;
		r->result->judge_is_late = word == JUDGE_LATE;
		if (word == JUDGE_LATE)
			text_add(&r->result->notes,
				 "--until: the process that judges it does not answer: the last "
				 "hits may be missing\n");
	}
	add_notes(r);
}
