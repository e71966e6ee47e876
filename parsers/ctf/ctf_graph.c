/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_graph.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parsers/ctf/ctf_metadata.h"
#include "src/base/memory.h"
#include "src/base/merge.h"

#define MOST_DEPTH	12u		/* of folders in folders */
#define MOST_TRACES	4096u
#define MOST_FOLDERS	16384u	/* to look for traces in */

/* A folder with a file "metadata". */
struct ctf_trace {
	char		*path;		/* owned */
	char		*group;		/* owned: traces of a group are one; NULL: none */
	bool		 is_done;	/* it is in the graph, or cannot be read */
};

struct lane {
	bt_message_iterator *iterator;
	bt_message_array_const messages;	/* [nr] */
	uint64_t	 nr, at;
	int64_t		 ns;		/* of the last message that has a time */
	struct ctf_lane	 told;
};

struct graph {
	struct ctf_teller *teller;
	const bt_component_class_source *source;
	struct ctf_trace *traces;	/* owned, [nr_traces] */
	unsigned int	 nr_traces, cap_traces, nr_folders;
	uint64_t	 bytes;		/* of all files */
	int64_t		 first_ns, last_ns;	/* INT64_MIN: not known */
	unsigned int	 percent;	/* that was told */
	bt_graph	*graph;
	struct lane	*lanes;		/* owned, [nr_lanes] */
	unsigned int	 nr_lanes, cap_lanes;
	const bt_component_source **components;	/* owned, [nr_components] */
	unsigned int	 nr_components, cap_components;
	struct merge	 merge;
	bool		 has_begun;
	uint64_t	 nr_taken;	/* messages */
};

const bt_plugin *ctf_graph_plugin(void)
{
	const bt_plugin *plugin = NULL;

	if (bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK)
		return NULL;
	return plugin;
}

/* Its path from the folder, which "./" stands before. */
static const char *name_of(const struct ctf_trace *trace)
{
	return trace->path[1] ? trace->path + 2 : "the trace";
}

/* Tell what libbabeltrace2 says of its last error. */
static void tell_error(struct graph *g, enum ctf_kind kind, const char *what)
{
	const bt_error *error = bt_current_thread_take_error();
	struct text text = { 0 };

	text_add(&text, what);
	if (error && bt_error_get_cause_count(error))
		text_printf(&text, ": %s",
			    bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	if (error)
		bt_error_release(error);
	ctf_teller_text(g->teller, kind, text_str(&text));
	text_fini(&text);
}

/* --- the traces of the folder ---------------------------------------------------------------- */

/* DT_REG, DT_DIR or another; file systems that do not tell are asked. */
static unsigned char type_of(DIR *folder, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	return fstatat(dirfd(folder), d->d_name, &st, AT_SYMLINK_NOFOLLOW) ? DT_UNKNOWN :
									     IFTODT(st.st_mode);
}

static void add_found(struct graph *g, const char *path, DIR *folder)
{
	struct stat st;

	mem_grow(&g->traces, g->nr_traces, &g->cap_traces);
	g->traces[g->nr_traces++] = (struct ctf_trace){ .path = mem_strdup(path) };
	rewinddir(folder);
	for (const struct dirent *d = readdir(folder); d; d = readdir(folder))
		if (type_of(folder, d) == DT_REG &&
		    !fstatat(dirfd(folder), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			g->bytes += (uint64_t)st.st_size;
}

/* It may be the folder of something else, with any number of files, so most are not looked at. */
static void find_traces(struct graph *g, const char *path, unsigned int depth)
{
	DIR *folder = opendir(path);
	const struct dirent *d;
	bool found = false;

	g->nr_folders++;
	while (folder && (d = readdir(folder)) && g->nr_folders < MOST_FOLDERS) {
		struct text below = { 0 };

		if (*d->d_name == '.')
			continue;
		text_printf(&below, "%s/%s", path, d->d_name);
		if (type_of(folder, d) == DT_DIR && depth < MOST_DEPTH)
			find_traces(g, text_str(&below), depth + 1);
		found |= !strcmp(d->d_name, "metadata") && type_of(folder, d) == DT_REG;
		text_fini(&below);
	}
	if (found && g->nr_traces < MOST_TRACES)
		add_found(g, path, folder);
	if (folder)
		closedir(folder);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct ctf_trace *)a)->path, ((const struct ctf_trace *)b)->path);
}

/* Ask the source something.  NULL: an error is to be taken or cleared.  @params: given up. */
static const bt_value *ask(const struct graph *g, const char *what, bt_value *params)
{
	bt_query_executor *query =
		bt_query_executor_create(bt_component_class_source_as_component_class_const(
						 g->source),
					 what, params);
	const bt_value *answer = NULL;

	if (query && bt_query_executor_query(query, &answer) != BT_QUERY_EXECUTOR_QUERY_STATUS_OK)
		answer = NULL;
	bt_query_executor_put_ref(query);
	bt_value_put_ref(params);
	return answer;
}

/* A value of a map; NULL: it has none of that name, or it is no map. */
static const bt_value *value_in(const bt_value *map, const char *name)
{
	return map && bt_value_is_map(map) ? bt_value_map_borrow_entry_value_const(map, name) :
					     NULL;
}

static uint64_t nr_values(const bt_value *array)
{
	return array && bt_value_is_array(array) ? bt_value_array_get_length(array) : 0;
}

/* Traces that are parts of one, as a session has them that was rotated, tell one group. */
static void find_group(const struct graph *g, struct ctf_trace *trace)
{
	bt_value *params = bt_value_map_create();
	const bt_value *answer, *group;

	bt_value_map_insert_string_entry(params, "type", "directory");
	bt_value_map_insert_string_entry(params, "input", trace->path);
	answer = ask(g, "babeltrace.support-info", params);
	bt_current_thread_clear_error();
	group = value_in(answer, "group");
	if (group && bt_value_is_string(group))
		trace->group = mem_strdup(bt_value_string_get(group));
	bt_value_put_ref(answer);
}

/* The time of the last packet's end.  Return: false: the trace cannot be read. */
static bool find_end(struct graph *g, const struct ctf_trace *trace)
{
	bt_value *params = bt_value_map_create(), *inputs = bt_value_array_create();
	const bt_value *answer;

	bt_value_array_append_string_element(inputs, trace->path);
	bt_value_map_insert_entry(params, "inputs", inputs);
	bt_value_put_ref(inputs);
	answer = ask(g, "babeltrace.trace-infos", params);
	if (!answer) {
		tell_error(g, CTF_WARNING, name_of(trace));
		return false;
	}
	for (uint64_t i = 0; i < nr_values(answer); i++) {
		const bt_value *streams =
			value_in(bt_value_array_borrow_element_by_index_const(answer, i),
				 "stream-infos");

		for (uint64_t k = 0; k < nr_values(streams); k++) {
			const bt_value *end = value_in(
				value_in(bt_value_array_borrow_element_by_index_const(streams, k),
					 "range-ns"),
				"end");

			if (end && bt_value_is_signed_integer(end) &&
			    bt_value_integer_signed_get(end) > g->last_ns)
				g->last_ns = bt_value_integer_signed_get(end);
		}
	}
	bt_value_put_ref(answer);
	return true;
}

static bool is_left_out(const struct ctf_ask *ask, uint32_t nr)
{
	for (uint32_t i = 0; i < ask->nr; i++)
		if (ask->left_out[i] == nr)
			return true;
	return false;
}

/* A graph is lost with the first trace that cannot be added: such ones are left out before. */
static void look_at(struct graph *g, struct ctf_trace *trace)
{
	struct text damage = { 0 };
	bool is_good;

	ctf_teller_at(g->teller, (uint32_t)(trace - g->traces), name_of(trace));
	is_good = ctf_metadata_check(trace->path, &damage);
	if (damage.len)
		ctf_teller_text(g->teller, CTF_WARNING, text_str(&damage));
	text_fini(&damage);
	trace->is_done = !is_good || !find_end(g, trace);
	if (!trace->is_done)
		find_group(g, trace);
}

/* A component for a trace, and the others of its group.  Return: false: the graph is lost. */
static bool add_trace(struct graph *g, unsigned int nr)
{
	bt_value *params = bt_value_map_create(), *inputs = bt_value_array_create();
	const char *group = g->traces[nr].group;
	const bt_component_source *component = NULL;
	bool is_added;
	char name[32];

	for (unsigned int i = nr; i < g->nr_traces; i++)
		if (i == nr ||
		    (group && g->traces[i].group && !strcmp(group, g->traces[i].group))) {
			bt_value_array_append_string_element(inputs, g->traces[i].path);
			g->traces[i].is_done = true;
		}
	bt_value_map_insert_entry(params, "inputs", inputs);
	snprintf(name, sizeof(name), "trace%u", nr);
	is_added = bt_graph_add_source_component(g->graph, g->source, name, params,
						 BT_LOGGING_LEVEL_NONE,
						 &component) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
	if (is_added) {
		mem_grow(&g->components, g->nr_components, &g->cap_components);
		g->components[g->nr_components++] = component;
	} else {
		tell_error(g, CTF_WARNING, name_of(&g->traces[nr]));
	}
	bt_value_put_ref(inputs);
	bt_value_put_ref(params);
	return is_added;
}

/* --- the sink -------------------------------------------------------------------------------- */

/* The next message of a lane; NULL: there is none. */
static const bt_message *next_of(struct graph *g, struct lane *lane)
{
	bt_message_iterator_next_status status;

	if (lane->at < lane->nr)
		return lane->messages[lane->at];
	lane->at = lane->nr = 0;
	if (!lane->iterator)
		return NULL;
	do
		status = bt_message_iterator_next(lane->iterator, &lane->messages, &lane->nr);
	while (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return lane->messages[0];
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		tell_error(g, CTF_WARNING, "the rest of a stream cannot be read");
	lane->nr = 0;
	bt_message_iterator_put_ref(lane->iterator);
	lane->iterator = NULL;
	return NULL;
}

#define discarded_begin	bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const

static const bt_stream *stream_of(const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return bt_event_borrow_stream_const(bt_message_event_borrow_event_const(message));
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return bt_packet_borrow_stream_const(
			bt_message_packet_beginning_borrow_packet_const(message));
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return bt_message_discarded_events_borrow_stream_const(message);
	default:
		return NULL;
	}
}

/* The time of a message; NULL: it has none. */
static const bt_clock_snapshot *clock_of(const bt_message *message)
{
	const bt_stream *stream = stream_of(message);
	const bt_stream_class *class = stream ? bt_stream_borrow_class_const(stream) : NULL;

	if (!class || !bt_stream_class_borrow_default_clock_class_const(class))
		return NULL;
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return bt_message_event_borrow_default_clock_snapshot_const(message);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		if (!bt_stream_class_packets_have_beginning_default_clock_snapshot(class))
			return NULL;
		return bt_message_packet_beginning_borrow_default_clock_snapshot_const(message);
	default:
		if (!bt_stream_class_discarded_events_have_default_clock_snapshots(class))
			return NULL;
		return discarded_begin(message);
	}
}

/* A lane's next message and its time: that of the message before, if it has none. */
static void set_lane(struct graph *g, unsigned int nr)
{
	struct lane *lane = &g->lanes[nr];
	const bt_message *message = next_of(g, lane);
	const bt_clock_snapshot *clock = message ? clock_of(message) : NULL;
	int64_t ns;

	if (!message) {
		merge_end(&g->merge, nr);
		return;
	}
	if (clock && bt_clock_snapshot_get_ns_from_origin(clock, &ns) ==
			     BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		lane->ns = ns;
	bt_current_thread_clear_error();
	merge_set(&g->merge, nr, lane->ns, nr);
}

/* An event has a bit at least: of those that have none there is no end. */
static bool is_endless(struct graph *g)
{
	uint64_t most = 8 * g->bytes;

	if (g->nr_taken++ == most)
		ctf_teller_text(g->teller, CTF_WARNING,
				"there are more events than bits: the rest is left out");
	return g->nr_taken > most;
}

/* All lanes begin; the clock whose time was read first tells what raw stamps are. */
static void begin(struct graph *g)
{
	const bt_clock_class *clock = NULL;
	int64_t earliest = INT64_MAX;

	merge_init(&g->merge, g->nr_lanes);
	for (unsigned int i = 0; i < g->nr_lanes; i++) {
		struct lane *lane = &g->lanes[i];
		const bt_message *message = NULL;

		while (!is_endless(g) && (message = next_of(g, lane)) && !clock_of(message)) {
			if (bt_message_get_type(message) == BT_MESSAGE_TYPE_STREAM_BEGINNING) {
				const bt_stream *stream =
					bt_message_stream_beginning_borrow_stream_const(message);

				ctf_teller_begin(g->teller, stream, &lane->told);
				clock = clock ?:
						bt_stream_class_borrow_default_clock_class_const(
							bt_stream_borrow_class_const(stream));
			} else {
				ctf_teller_take(g->teller, message, 0, &lane->told);
			}
			bt_message_put_ref(lane->messages[lane->at++]);
		}
		set_lane(g, i);
		if (message && lane->ns < earliest)
			earliest = lane->ns;
	}
	g->first_ns = earliest == INT64_MAX ? 0 : earliest;
	ctf_teller_clock(g->teller, clock, g->first_ns);
	merge_begin(&g->merge);
	g->has_begun = true;
}

/* How far it is, as far as one can tell from a time. */
static void tell_progress(struct graph *g, int64_t ns)
{
	double share = ((double)ns - (double)g->first_ns) /
		       ((double)g->last_ns - (double)g->first_ns);

	if (g->last_ns <= g->first_ns || share * 100 < g->percent + 1 || share > 1)
		return;
	g->percent = (unsigned int)(share * 100);
	ctf_teller_number(g->teller, CTF_DONE, (uint64_t)(share * (double)g->bytes));
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	struct graph *g = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	if (!g->has_begun)
		begin(g);
	while (merge_any(&g->merge) && !g->teller->is_broken && !is_endless(g)) {
		unsigned int nr = merge_first(&g->merge);
		struct lane *lane = &g->lanes[nr];

		ctf_teller_take(g->teller, lane->messages[lane->at], lane->ns, &lane->told);
		bt_message_put_ref(lane->messages[lane->at++]);
		tell_progress(g, lane->ns);
		set_lane(g, nr);
		merge_replay(&g->merge);
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

/* A port for each stream. */
static bt_component_class_initialize_method_status
initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
	   const bt_value *params, void *data)
{
	struct graph *g = data;
	char name[32];

	(void)configuration;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), g);
	for (unsigned int i = 0; i < g->nr_lanes; i++) {
		snprintf(name, sizeof(name), "in%u", i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status
is_configured(bt_self_component_sink *self)
{
	struct graph *g = bt_self_component_get_data(
		bt_self_component_sink_as_self_component(self));

	for (unsigned int i = 0; i < g->nr_lanes; i++)
		if (bt_message_iterator_create_from_sink_component(
			    self, bt_self_component_sink_borrow_input_port_by_index(self, i),
			    &g->lanes[i].iterator) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

/* --- the graph ------------------------------------------------------------------------------- */

static void count_lanes(struct graph *g)
{
	for (unsigned int i = 0; i < g->nr_components; i++)
		g->nr_lanes += (unsigned int)bt_component_source_get_output_port_count(
			g->components[i]);
	g->lanes = mem_array(g->nr_lanes + 1, sizeof(*g->lanes));
}

/* Each output of a source to the sink's next port.  Return: false: it cannot be read. */
static bool connect(struct graph *g, const bt_component_sink *sink)
{
	unsigned int lane = 0;

	for (unsigned int i = 0; i < g->nr_components; i++) {
		uint64_t nr = bt_component_source_get_output_port_count(g->components[i]);

		for (uint64_t k = 0; k < nr; k++)
			if (bt_graph_connect_ports(
				    g->graph,
				    bt_component_source_borrow_output_port_by_index_const(
					    g->components[i], k),
				    bt_component_sink_borrow_input_port_by_index_const(sink,
										       lane++),
				    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
				return false;
	}
	return true;
}

static void run(struct graph *g)
{
	bt_component_class_sink *class = bt_component_class_sink_create("ftop", consume);
	const bt_component_sink *sink = NULL;

	bt_component_class_sink_set_initialize_method(class, initialize);
	bt_component_class_sink_set_graph_is_configured_method(class, is_configured);
	count_lanes(g);
	if (bt_graph_add_sink_component_with_initialize_method_data(g->graph, class, "ftop", NULL,
								    g, BT_LOGGING_LEVEL_NONE,
								    &sink) !=
		    BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    !connect(g, sink) || bt_graph_run(g->graph) != BT_GRAPH_RUN_STATUS_OK)
		tell_error(g, CTF_FAILED, "libbabeltrace2 cannot read it");
	bt_component_class_sink_put_ref(class);
}

static void tell_too_many(struct ctf_teller *teller)
{
	struct text words = { 0 };

	text_printf(&words,
		    "is a folder without a trace of LTTng in the first %u folders below it: name "
		    "the folder of the trace",
		    MOST_FOLDERS);
	ctf_teller_text(teller, CTF_FAILED, text_str(&words));
	text_fini(&words);
}

void ctf_graph_run(const bt_plugin *plugin, const struct ctf_ask *ask, struct ctf_teller *teller)
{
	struct graph g = { .teller = teller, .graph = bt_graph_create(0), .last_ns = INT64_MIN };
	bool is_good = true;

	g.source = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	find_traces(&g, ".", 0);
	if (g.nr_traces)
		qsort(g.traces, g.nr_traces, sizeof(*g.traces), by_path);
	ctf_teller_number(teller, CTF_SIZE, g.bytes);
	for (unsigned int i = 0; i < g.nr_traces; i++)
		if (is_left_out(ask, i))
			g.traces[i].is_done = true;
		else
			look_at(&g, &g.traces[i]);
	ctf_teller_at(teller, CTF_NO_TRACE, "");
	for (unsigned int i = 0; i < g.nr_traces && is_good; i++)
		if (!g.traces[i].is_done)
			is_good = add_trace(&g, i);
	if (!g.nr_traces && g.nr_folders >= MOST_FOLDERS)
		tell_too_many(teller);
	else if (!g.nr_traces)
		ctf_teller_text(
			teller, CTF_FAILED,
			"is a folder without a trace of LTTng: no file \"metadata\" is in it, "
			"or in a folder of it; to open a file, name it");
	else if (!is_good || !g.nr_components)
		ctf_teller_text(teller, CTF_FAILED, "libbabeltrace2 can read no trace of it");
	else
		run(&g);
	for (unsigned int i = 0; i < g.nr_lanes; i++)
		bt_message_iterator_put_ref(g.lanes[i].iterator);
	bt_graph_put_ref(g.graph);
	merge_fini(&g.merge);
	for (unsigned int i = 0; i < g.nr_traces; i++) {
		free(g.traces[i].path);
		free(g.traces[i].group);
	}
	free(g.traces);
	free(g.lanes);
	free(g.components);
}
