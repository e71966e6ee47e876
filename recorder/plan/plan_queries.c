/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_queries.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "recorder/plan/plan_probes.h"
#include "recorder/tracefs/synth_query.h"
#include "src/base/memory.h"

#define BLANKS		" \t\n"
#define UNNAMED		"query"

/* "SELECT" as a word of its own */
static bool is_query(const char *text)
{
	static const char word[] = "SELECT";

	return !strncasecmp(text, word, strlen(word)) &&
	       (!text[strlen(word)] || strchr(BLANKS "(", text[strlen(word)]));
}

bool plan_queries_add(struct record_plan *plan, const char *value)
{
	const char *name = value + strspn(value, BLANKS);
	const char *sql = name + strcspn(name, BLANKS);
	struct text query = { 0 };

	sql += strspn(sql, BLANKS);
	if (is_query(name)) {
		sql = name;
		name = UNNAMED " ";
	} else if (!is_query(sql)) {
		return false;
	}
	text_printf(&query, "%.*s %s", (int)strcspn(name, BLANKS), name, sql);
	/* libtracefs points at the mistake in one line */
	for (char *p = query.data; (p = strpbrk(p, "\t\n")); p++)
		*p = ' ';
	name_list_add(&plan->queries, text_str(&query));
	text_fini(&query);
	return true;
}

/* In the buffer without a name, as probes. */
static void add_trigger(struct record_plan *plan, const struct synth_query_trigger *from)
{
	struct plan_event *event = record_plan_add_event_to(&plan->buffers[0],
							    text_str(&from->event), false);

	event->triggers_only = true;
	name_list_add(&event->triggers, text_str(&from->trigger));
}

static int expand(struct record_plan *plan, const char *name, const char *sql,
		  const struct tracefs_dir *root)
{
	struct synth_query query;
	struct ft_error err = { 0 };
	struct text why = { 0 };
	int ret = synth_query_make(&query, root, name, sql, &why, &err);

	if (ret) {
		record_plan_mistake(plan, "--synth %s: %s%s", name, err.message,
				    why.len ? ":" : "");
		if (why.len)
			text_printf(&plan->mistakes, "%s\n", text_str(&why));
	} else {
		record_plan_add_probe(plan, text_str(&query.definition), true);
		for (size_t i = 0; i < 2; i++)
			add_trigger(plan, &query.triggers[i]);
	}
	synth_query_fini(&query);
	text_fini(&why);
	return ret;
}

void plan_queries_expand(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct name_list wrong = { 0 };

	for (size_t i = 0; i < plan->queries.nr; i++) {
		const char *query = plan->queries.names[i];
		size_t len = strcspn(query, " ");
		char *name = mem_strndup(query, len);

		if (expand(plan, name, query + len + 1, root))
			name_list_add(&wrong, query);
		free(name);
	}
	name_list_fini(&plan->queries);
	plan->queries = wrong;
}
