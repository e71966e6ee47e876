/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/synth_query.h"

#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

/* "echo 'VALUE' >> PATH\n"; moves to the next line. */
static bool take_command(const char **p, struct text *value, struct text *path)
{
	static const char begin[] = "echo '", middle[] = "' >> ";
	const char *end = strchr(*p, '\n'), *found = NULL;

	if (!end || strncmp(*p, begin, strlen(begin)) != 0)
		return false;
	*p += strlen(begin);
	/* a string in the value may have quotation marks, a path has none */
	for (const char *at = *p; (at = memmem(at, end - at, middle, strlen(middle))); at++)
		found = at;
	if (!found)
		return false;
	text_bytes(value, *p, found - *p);
	found += strlen(middle);
	text_bytes(path, found, end - found);
	*p = end + 1;
	return true;
}

/* ".../events/sched/sched_waking/trigger" */
static bool take_trigger(const char **p, struct synth_query_trigger *trigger)
{
	static const char folder[] = "/events/", file[] = "/trigger";
	struct text path = { 0 };
	const char *event = NULL, *slash = NULL, *end = NULL;

	if (take_command(p, &trigger->trigger, &path))
		for (const char *at = text_str(&path); (at = strstr(at, folder)); at++)
			event = at + strlen(folder);
	if (event)
		slash = strchr(event, '/');
	if (slash)
		end = strstr(slash + 1, file);
	if (end) {
		text_bytes(&trigger->event, event, slash - event);
		text_char(&trigger->event, ':');
		text_bytes(&trigger->event, slash + 1, end - slash - 1);
	}
	text_fini(&path);
	return end != NULL;
}

/* libtracefs says what to do as commands of a shell. */
static bool take_commands(struct synth_query *query, const char *commands)
{
	struct text path = { 0 };
	bool all = take_command(&commands, &query->definition, &path) &&
		   take_trigger(&commands, &query->triggers[0]) &&
		   take_trigger(&commands, &query->triggers[1]) && !*commands;

	text_fini(&path);
	return all;
}

static int read_commands(struct synth_query *query, struct tracefs_synth *synth,
			 struct ft_error *err)
{
	struct trace_seq commands;
	int ret = 0;

	if (!tracefs_synth_complete(synth))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"a query of one event makes a table and no event: JOIN a second "
			"event, or use -R 'hist:...'");
	trace_seq_init(&commands);
	if (!tracefs_synth_echo_cmd(&commands, synth))
		trace_seq_terminate(&commands);
	if (!take_commands(query, commands.buffer))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "libtracefs makes something else of it than one event and two "
				   "triggers");
	trace_seq_destroy(&commands);
	return ret;
}

int synth_query_make(struct synth_query *query, const struct tracefs_dir *root, const char *name,
		     const char *sql, struct text *why, struct ft_error *err)
{
	struct tep_handle *formats = tep_alloc();
	struct tracefs_synth *synth = NULL;
	char *wrong = NULL;
	int failures = 0, ret;

	*query = (struct synth_query){ 0 };
	tracefs_dir_use(root);
	/* the query may be about others than those that libtraceevent cannot parse */
	if (formats && !tracefs_fill_local_events(tracefs_tracing_dir(), formats, &failures))
		synth = tracefs_sql(formats, name, sql, &wrong);
	if (synth)
		ret = read_commands(query, synth, err);
	else
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   wrong ? "libtracefs does not understand it" :
					   "the formats of events cannot be read");
	if (wrong && ret)
		text_add(why, wrong);
	while (why->len && why->data[why->len - 1] == '\n')
		why->data[--why->len] = '\0';
	free(wrong);
	if (synth)
		tracefs_synth_free(synth);
	if (formats)
		tep_free(formats);
	return ret;
}

void synth_query_fini(struct synth_query *query)
{
	text_fini(&query->definition);
	for (size_t i = 0; i < 2; i++) {
		text_fini(&query->triggers[i].event);
		text_fini(&query->triggers[i].trigger);
	}
}
