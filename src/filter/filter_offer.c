/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_offer - what a wrong word may have meant: a task, a function, or a name of the table in
 * other words.
 */
#include "src/filter/filter_offer.h"

#include <ctype.h>
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

/* Is it a whole term: nothing compares it? */
static bool is_term(const char *text, size_t from, size_t to)
{
	while (from && isspace((unsigned char)text[from - 1]))
		from--;
	while (isspace((unsigned char)text[to]))
		to++;
	return (!from || strchr("(:!", text[from - 1]) ||
		(from > 1 && strchr("&|", text[from - 1]) && text[from - 2] == text[from - 1])) &&
	       (!text[to] || text[to] == ')' || !strncmp(text + to, "&&", 2) ||
		!strncmp(text + to, "||", 2));
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
