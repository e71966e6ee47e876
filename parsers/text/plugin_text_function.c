/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_text_function - function calls indented below their callers, stacks, raw data, like
 * libtraceevent's plugin_function.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/plugin_text_private.h"
#include "src/base/memory.h"

/*
 * Names on a CPU's stack: the parent's position gives the indent.  Symbols' names live as long as
 * the file.
 */
struct chain {
	const char	**names;	/* owned */
	unsigned int	nr, cap;
};

struct chains {
	unsigned int	nr;
	struct chain	*cpus;		/* owned, [nr] */
};

static void free_chains(void *data)
{
	struct chains *chains = data;

	for (unsigned int i = 0; i < chains->nr; i++)
		free(chains->cpus[i].names);
	free(chains->cpus);
	free(chains);
}

static struct chain *get_chain(struct record_text_state *state, int cpu)
{
	struct chains *chains = state->plugin;
	unsigned int nr = (unsigned int)cpu + 1;

	if (!chains) {
		chains = mem_alloc(sizeof(*chains));
		state->plugin = chains;
		state->free_plugin = free_chains;
	}
	if (nr > chains->nr) {
		chains->cpus = mem_resize(chains->cpus, nr, sizeof(*chains->cpus));
		memset(chains->cpus + chains->nr, 0, (nr - chains->nr) * sizeof(*chains->cpus));
		chains->nr = nr;
	}
	return &chains->cpus[cpu];
}

/* Names above the place stay, as in the library. */
static void put_name(struct chain *chain, const char *name, unsigned int at)
{
	if (!name)
		return;
	if (at < chain->nr) {
		chain->names[at] = name;
		return;
	}
	mem_grow(&chain->names, chain->nr, &chain->cap);
	chain->names[chain->nr++] = name;
}

static unsigned int indent_of(struct record_text_state *state, const char *parent,
			      const char *child, int cpu)
{
	struct chain *chain;

	if (cpu < 0 || cpu > 65535)
		return 0;
	chain = get_chain(state, cpu);
	for (unsigned int i = 0; i < chain->nr; i++)
		if (!strcmp(parent, chain->names[i])) {
			put_name(chain, child, i + 1);
			return i;
		}
	put_name(chain, parent, 0);
	put_name(chain, child, 1);
	return 0;
}

static void add_function(const struct text_context *c, const struct kallsyms_symbol *s,
			 uint64_t address, struct text *out)
{
	text_add(out, s->name);
	if (c->options->offset)
		text_printf(out, "+0x%x ", (unsigned int)(address - s->start));
}

static void add_place(const struct text_context *c, bool known, const struct kallsyms_symbol *s,
		      uint64_t address, struct text *out)
{
	if (known)
		add_function(c, s, address, out);
	else
		text_printf(out, "0x%" PRIx64, address);
}

PLUGIN_REMEMBER(plugin_function_indent)
{
	struct kallsyms_symbol func, parent;
	uint64_t ip, parent_ip;

	if (c->options->no_indent || !plugin_number(c, 0, rec, &ip) ||
	    !plugin_number(c, 1, rec, &parent_ip) || !plugin_symbol(c, parent_ip, &parent))
		return 0;
	return indent_of(state, parent.name, plugin_symbol(c, ip, &func) ? func.name : NULL,
			 rec->cpu);
}

bool plugin_function_with(const struct text_context *c, const struct print_record *rec,
			  const struct text *args, struct text *out)
{
	struct kallsyms_symbol func = { 0 }, parent = { 0 };
	bool has_func, has_parent;
	uint64_t ip, parent_ip;

	if (!plugin_demand(c, 0, "ip", rec, &ip, out) ||
	    !plugin_demand(c, 1, "parent_ip", rec, &parent_ip, out))
		return true;
	has_func = plugin_symbol(c, ip, &func);
	has_parent = c->options->parent && plugin_symbol(c, parent_ip, &parent);
	if (rec->note)
		text_pad(out, 3 * (size_t)rec->note);
	add_place(c, has_func, &func, ip, out);
	if (args)
		text_bytes(out, text_str(args), args->len);
	if (c->options->parent) {
		text_add(out, " <-- ");
		add_place(c, has_parent, &parent, parent_ip, out);
	}
	return true;
}

PLUGIN_TWIN(plugin_function)
{
	(void)next;
	return plugin_function_with(c, rec, NULL, out);
}

static void add_time(const struct text_context *c, uint64_t ts, struct text *out)
{
	switch (c->options->time) {
	case PRINT_TIME_US:
		ts = (ts + 500) / 1000;
		text_printf(out, "%5" PRIu64 ".%06" PRIu64, ts / 1000000, ts % 1000000);
		break;
	case PRINT_TIME_NS:
		text_printf(out, "%5" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
		break;
	case PRINT_TIME_COUNT:
		text_printf(out, "%12" PRIu64, ts);
		break;
	}
}

PLUGIN_TWIN(plugin_repeats)
{
	uint64_t count, top, bottom;

	plugin_function(c, rec, next, out);
	if (!plugin_demand(c, 2, "count", rec, &count, out) ||
	    !plugin_demand(c, 3, "top_delta_ts", rec, &top, out) ||
	    !plugin_demand(c, 4, "bottom_delta_ts", rec, &bottom, out))
		return true;
	text_printf(out, " (count: %" PRIu64 "  last_ts: ", count);
	add_time(c, rec->ts - (top << 32 | bottom), out);
	text_char(out, ')');
	return true;
}

PLUGIN_TWIN(plugin_stack)
{
	const struct event_field *f = c->f[0];
	uint32_t size = (uint32_t)c->user_long_size;

	(void)next;
	if (!f) {
		text_add(out, "<CANT FIND FIELD caller>");
		return true;
	}
	text_add(out, "<stack trace >\n");
	for (uint32_t at = f->offset; at < rec->size && !text_is_full(out); at += size) {
		uint64_t address = plugin_load(c, rec, at, size);
		struct kallsyms_symbol s;

		if ((size == 8 && address == UINT64_MAX) || (int32_t)address == -1)
			break;
		if (plugin_symbol(c, address, &s)) {
			text_add(out, "=> ");
			add_function(c, &s, address, out);
			text_printf(out, " (%" PRIx64 ")\n", address);
		} else {
			text_printf(out, "=> %" PRIx64 "\n", address);
		}
	}
	return true;
}

PLUGIN_TWIN(plugin_raw_data)
{
	const struct event_field *f = c->f[1];
	uint64_t id;

	(void)next;
	if (!plugin_demand(c, 0, "id", rec, &id, out))
		return true;
	text_printf(out, "# %" PRIx64, id);
	if (!f) {
		text_add(out, "<CANT FIND FIELD buf>");
		return true;
	}
	/*
	 * The library advances by the trace's long, but prints as many bytes as its own long has.
	 */
	for (uint32_t at = f->offset; at < rec->size; at += (uint32_t)c->user_long_size)
		for (uint32_t i = at; i < rec->size && i < at + sizeof(long); i++)
			text_printf(out, " %02x", rec->data[i]);
	return true;
}
