/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_offer - what a wrong word may have meant: a task, a function, or a name of the table in
 * other words.
 */
#include "src/filter/filter_offer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_bind.h"
#include "src/trace/trace_streams.h"

#define MAX_PID		4194304u	/* PID_MAX_LIMIT of 64-bit kernels */

/* --- tasks ----------------------------------------------------------------------------------- */

struct task_search {
	const char	*name;
	size_t		 len;
	bool		 found;
};

static void compare_task(void *arg, int pid, const char *name)
{
	struct task_search *search = arg;

	(void)pid;
	search->found |= strlen(name) == search->len && !memcmp(name, search->name, search->len);
}

static bool is_task(struct trace *trace, const char *name, size_t len)
{
	struct task_search search = { .name = name, .len = len };

	for (unsigned int i = 0; i < trace_nr_files(trace) && len && !search.found; i++)
		comm_table_each(trace_source_at(trace, i)->comms, compare_task, &search);
	return search.found;
}

static bool is_plain_word(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return len && !isdigit((unsigned char)*s);
}

/* Does one of the words and, or, not end here? */
static bool is_after_word(const char *text, size_t at)
{
	static const char *const words[] = { "and", "or", "not" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (at >= len && !strncmp(text + at - len, words[i], len) &&
		    (at == len || strchr(" \t(!", text[at - len - 1])))
			return true;
	}
	return false;
}

/* Does one of the words and, or begin here? */
static bool is_before_word(const char *text)
{
	size_t len = strcspn(text, " \t(!");

	return (len == 3 && !strncmp(text, "and", len)) || (len == 2 && !strncmp(text, "or", len));
}

/* Is it a whole term: nothing compares it? */
static bool is_term(const char *text, size_t from, size_t to)
{
	while (from && isspace((unsigned char)text[from - 1]))
		from--;
	while (isspace((unsigned char)text[to]))
		to++;
	return (!from || strchr("(:!", text[from - 1]) || is_after_word(text, from) ||
		(from > 1 && strchr("&|", text[from - 1]) && text[from - 2] == text[from - 1])) &&
	       (!text[to] || text[to] == ')' || is_before_word(text + to) ||
		!strncmp(text + to, "&&", 2) || !strncmp(text + to, "||", 2));
}

bool filter_offer_task(struct trace *trace, const char *text, size_t from,
		       struct filter_offers *offers)
{
	size_t len = strcspn(text + from, " \t(),=!<>~&|\"'"), name = len;
	const char *s = text + from;

	if (!is_term(text, from, from + len))
		return false;
	if (is_task(trace, s, len)) {
		filter_offers_add(offers,
				  is_plain_word(s, len) ? "comm == %.*s" : "comm == \"%.*s\"",
				  (int)len, s);
	} else {
		/* payload-61, as rows show a task */
		while (name && isdigit((unsigned char)s[name - 1]))
			name--;
		if (name < 2 || name == len || s[name - 1] != '-' || !is_task(trace, s, name - 1))
			return false;
		filter_offers_add(offers, "pid == %.*s", (int)(len - name), s + name);
	}
	offers->from = from;
	offers->to = from + len;
	return true;
}

/* --- words and numbers ----------------------------------------------------------------------- */

static bool is_function(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_pattern *m;
	uint32_t index;

	m = filter_node_pattern(b, n, FILTER_PATTERN_EQUAL, false, &index);
	return m && filter_functions(b, n, m, &index);
}

const char *filter_offer_word(struct filter_binder *b, const struct filter_node *n, bool bare)
{
	const char *name = filter_name_meant(n->text, b->f->more_names), *kind = NULL;

	if (name && !b->scope_depth)
		filter_offers_add(&b->offers, "%s", name);
	if (filter_offer_task(b->f->trace, b->f->sources[b->source].text, n->from, &b->offers))
		kind = "task";
	if (bare && is_function(b, n)) {
		filter_offers_add(&b->offers, "func == %s", n->text);
		kind = kind ? kind : "function";
	}
	if (kind && bare)
		filter_offers_add(&b->offers, "\"%s\"", n->text);
	return kind;
}

bool filter_is_event(const struct filter_binder *b, const char *name)
{
	for (unsigned int file = 0; file < b->f->nr_files; file++)
		for (unsigned int id = 0; id < b->f->files[file].nr_ids; id++) {
			const struct event_type *type = b->f->files[file].types[id];

			if (type && filter_source_asks(&b->f->sources[b->source], file) &&
			    (!strcasecmp(type->name, name) || !strcasecmp(type->system, name)))
				return true;
		}
	return false;
}

/* The name of the task whose number a word is: next_comm for next_pid; or NULL. */
static const char *name_of_task(const struct filter_binder *b, const char *word, char *name,
				size_t size)
{
	size_t len = strlen(word);

	if (!strcmp(word, "task"))
		return "comm";
	if (!strcmp(word, "tgid"))
		return "process";
	if (len < 3 || strcmp(word + len - 3, "pid") != 0)
		return NULL;
	snprintf(name, size, "%.*scomm", (int)(len - 3), word);
	return !strcmp(name, "comm") || (b->type && event_type_field(b->type, name)) ? name : NULL;
}

/* Where a comparison ends, without brackets around all of it. */
static size_t end_of(const char *source, const struct filter_node *n)
{
	const struct filter_node *last = n->list;
	size_t end;

	if (n->kind != FILTER_NODE_IN)
		return n->b->to;
	while (last->next)
		last = last->next;
	end = last->to + strcspn(source + last->to, ")") + 1; /* a list of words has brackets */
	return end < n->to ? end : n->to;
}

/* task ~ "wl*", pid in (wl, sh): the same of the task's name. */
static void offer_name_of_task(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_node *right = n->kind == FILTER_NODE_IN ? n->list : n->b;
	const char *source = b->f->sources[b->source].text, *name;
	char made[64];

	/* next_pid may have been meant by what ends so; within a filter of this name there is no
	 * text */
	if (n->a->kind != FILTER_NODE_WORD || !right || !filter_node_has_text(right) ||
	    strstr(right->text, "pid") || right->from < n->a->to)
		return;
	name = name_of_task(b, n->a->text, made, sizeof(made));
	if (name)
		filter_offers_add(&b->offers, "%s%.*s", name, (int)(end_of(source, n) - n->a->to),
				  source + n->a->to);
}

void filter_offer_event(const struct filter_node *n, struct filter_offers *offers)
{
	const struct filter_node *right = n->b;
	const char *text, *star = "";
	bool is_not, begins = false, ends = false;
	size_t len;

	if (n->kind != FILTER_NODE_COMPARE || n->a->kind != FILTER_NODE_WORD ||
	    strcmp(n->a->text, "event") != 0 || !filter_node_has_text(right))
		return;
	is_not = n->op == FILTER_OP_NE || n->op == FILTER_OP_NOT_MATCH;
	text = right->text;
	len = right->len;
	if (n->op == FILTER_OP_CONTAINS || n->op == FILTER_OP_MATCH ||
	    n->op == FILTER_OP_NOT_MATCH) {
		star = "*";
		begins = *text == '^';
		text += begins;
		len -= begins;
		ends = len && text[len - 1] == '$';
		len -= ends;
	}
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr(*star ? "_" : "_*/-", text[i]))
			return;
	if (!len)
		return;
	filter_offers_add(offers, "%s%s%.*s%s", is_not ? "!" : "", begins ? "" : star, (int)len,
			  text, ends ? "" : star);
	offers->from = n->a->from;
	offers->to = right->to;
}

void filter_offer_compared(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_note *note = &b->notes[n->a->id];

	if (b->general || b->f->compat)
		return;
	offer_name_of_task(b, n);
	if (b->offers.nr) {
		b->offers.from = n->a->from;
		b->offers.to = end_of(b->f->sources[b->source].text, n);
	} else if (n->b && !note->problem &&
		   (!note->is_field || (n->b->text && filter_is_event(b, n->b->text)))) {
		filter_offer_event(n, &b->offers);
	}
}

void filter_offer_number(struct filter_binder *b, const struct filter_node *n)
{
	const char *text = b->f->sources[b->source].text + n->from;
	int len = (int)(n->to - n->from);

	if (n->unit == FILTER_UNIT_TIME)
		filter_offers_add(&b->offers, "dur > %.*s", len, text);
	else if (n->has_fraction)
		filter_offers_add(&b->offers, "time > %.*s", len, text);
	else if (!n->unit && n->value <= MAX_PID)
		filter_offers_add(&b->offers, "pid == %.*s", len, text);
	if (n->unit || n->has_fraction)
		return;
	for (unsigned int i = 0; i < trace_nr_streams(b->f->trace); i++)
		if (trace_stream_at(b->f->trace, i)->has_events &&
		    (uint64_t)trace_stream_at(b->f->trace, i)->cpu == n->value)
			filter_offers_add(&b->offers, "cpu == %.*s", len, text);
}
