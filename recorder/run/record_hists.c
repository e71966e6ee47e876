/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_hists - the kernel's histograms of the recorded buffers: read when tracing has stopped,
 * and kept in our own section (parsers/file/trace_extra.c).
 *
 * Triggers count even while tracing is off, so a table also has what happened until it is read.
 */
#include "recorder/run/record_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES	(16u << 20)	/* of all tables; one of 2048 rows has some 200 kB */
/* then they also count what was before */
#define SET_BEFORE	", set before the recording began"
#define ROW		"\n{ "		/* how a row begins */

/* Hits that no row counts: a line "    Dropped: N" ends each histogram. */
static uint64_t dropped_hits(const char *text)
{
	static const char key[] = "\n    Dropped: ";
	uint64_t all = 0, nr;

	for (const char *p = text; (p = strstr(p, key)); p += sizeof(key) - 1)
		all += sscanf(p + sizeof(key) - 1, "%" SCNu64, &nr) == 1 ? nr : 0;
	return all;
}

/* Append the whole rows that fit; the end of the text is missing then, and readers say so. */
static bool add_text(struct text *out, const struct text *text)
{
	size_t room = out->len < MOST_BYTES ? MOST_BYTES - out->len : 0;
	const char *s = text_str(text), *end = s + room;

	if (text->len <= room) {
		text_bytes(out, s, text->len);
		return true;
	}
	while (end > s && strncmp(end, ROW, sizeof(ROW) - 1) != 0)
		end--;
	text_bytes(out, s, (size_t)(end - s));
	text_char(out, '\n');
	return false;
}

/* Does the plan set histograms of an event in this buffer? */
static bool is_planned(const struct recording *r, size_t nr, const struct plan_catalog_event *e)
{
	const struct plan_buffer *b = &r->plan->buffers[nr];

	for (size_t k = 0; k < b->nr_events; k++)
		for (size_t t = 0; t < b->events[k].triggers.nr; t++)
			if (!strncmp(b->events[k].triggers.names[t], "hist:", 5) &&
			    record_plan_event_matches(b->events[k].pattern, e))
				return true;
	return false;
}

static void read_table(struct recording *r, size_t b, const char *system, const char *name)
{
	const struct plan_catalog_event event = { .system = (char *)system, .name = (char *)name };
	const char *buffer = r->plan->buffers[b].name;
	struct text text = { 0 };
	uint64_t dropped;

	tracefs_dir_read(&r->instances[b].dir, TRACEFS_TEXT("events/%s/%s/hist", system, name),
			 &text, NULL);
	if (text.len) {
		text_printf(&r->hists, "# of %s:%s%s%s%s\n", system, name,
			    buffer && *buffer ? ", buffer " : "", buffer ? buffer : "",
			    r->extracts || is_planned(r, b, &event) ? "" : SET_BEFORE);
		if (!add_text(&r->hists, &text))
			text_printf(
				&r->result->notes,
				"%s:%s: its histograms are not kept as a whole: all have more than %u MiB\n",
				system, name, MOST_BYTES >> 20);
	}
	dropped = dropped_hits(text_str(&text));
	if (dropped) {
		text_printf(&r->hist_drops, "dropped %" PRIu64 " %s:%s\n", dropped, system, name);
		text_printf(&r->result->notes,
			    "%s:%s: the histogram was full, and %" PRIu64
			    " hit%s in no row; a larger :size= holds more rows\n",
			    system, name, dropped, dropped == 1 ? " is" : "s are");
	}
	text_fini(&text);
}

static void read_system(struct recording *r, size_t b, const char *system)
{
	struct name_list events = { 0 };

	tracefs_dir_folders(&r->instances[b].dir, TRACEFS_TEXT("events/%s", system), &events, NULL);
	for (size_t i = 0; i < events.nr; i++)
		read_table(r, b, system, events.names[i]);
	name_list_fini(&events);
}

/* Those that others have set are in no plan. */
static void read_all(struct recording *r, size_t b)
{
	struct name_list systems = { 0 };

	tracefs_dir_folders(&r->instances[b].dir, "events", &systems, NULL);
	for (size_t i = 0; i < systems.nr; i++)
		read_system(r, b, systems.names[i]);
	name_list_fini(&systems);
}

void record_hists_read(struct recording *r)
{
	const struct plan_catalog *c = &r->plan->catalog;

	for (size_t b = 0; b < r->plan->nr_buffers; b++) {
		if (!r->instances[b].name)
			continue;
		if (r->extracts || r->instances[b].top) {
			read_all(r, b);
			continue;
		}
		for (size_t i = 0; i < c->nr; i++)
			if (is_planned(r, b, &c->events[i]))
				read_table(r, b, c->events[i].system, c->events[i].name);
	}
}
