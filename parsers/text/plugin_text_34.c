/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_text_34 - function and graph records like trace-cmd 3.4: with return values, callers and
 * arguments. Source: trace-cmd lib/trace-cmd/trace-ftrace.c, libtraceevent 1.9.
 */
#include <inttypes.h>
#include <string.h>

#include "parsers/types/btf.h"
#include "parsers/text/plugin_text_private.h"

#define MAX_PARAMS	64u

/* --- arguments ------------------------------------------------------------ */

struct plugin_args {
	const struct text_context *c;
	const struct print_record *rec;
	uint32_t		 offset;	/* where the first argument is in the record */
	uint32_t		 nr;
	uint32_t		 size;		/* bytes of one */
	struct text		*out;
};

static uint64_t value_of(const struct plugin_args *a, uint32_t i)
{
	return plugin_load(a->c, a->rec, a->offset + i * a->size, a->size);
}

/* A struct passed by value.  Return: the last register used; a->nr if there are too few. */
static uint32_t add_compound(const struct plugin_args *a, const struct btf_argument *arg,
			     uint32_t reg)
{
	text_printf(a->out, "(%s)[0x%" PRIx64, arg->what, value_of(a, reg));
	for (uint32_t done = sizeof(long); done < arg->size; done += sizeof(long)) {
		text_char(a->out, ':');
		if (++reg == a->nr) {
			text_add(a->out, "...]");
			return reg;
		}
		text_printf(a->out, "0x%" PRIx64, value_of(a, reg));
	}
	text_char(a->out, ']');
	return reg;
}

static void add_int(const struct plugin_args *a, const struct btf_argument *arg, uint64_t v)
{
	v >>= arg->bit_offset;
	if (arg->bits < 64)
		v &= (1ull << arg->bits) - 1;
	if (arg->kind == BTF_SIGNED)
		text_printf(a->out, "%" PRId64, (int64_t)v);
	else
		text_printf(a->out, "0x%" PRIx64, v);
}

static uint32_t add_one(const struct plugin_args *a, const struct btf_argument *arg, uint32_t reg)
{
	uint64_t v = value_of(a, reg);

	text_printf(a->out, "%s=", arg->name);
	switch (arg->kind) {
	case BTF_UNKNOWN:
		if (!arg->is_void)
			text_printf(a->out, "?0x%" PRIx64, v);
		break;
	case BTF_POINTER:
		text_printf(a->out, "0x%" PRIx64, v);
		break;
	case BTF_SIGNED:
	case BTF_UNSIGNED:
		add_int(a, arg, v);
		break;
	case BTF_ENUM:
		text_printf(a->out, "%" PRId64, (int64_t)v);
		break;
	case BTF_COMPOUND:
		return add_compound(a, arg, reg);
	}
	return reg;
}

/* Parameters from BTF; also for a function whose name has a suffix from the compiler. */
static int find_params(const struct text_context *c, const char *function,
		       struct btf_argument *params)
{
	int nr = btf_arguments(c->btf, function, BTF_AS_LIBTRACEEVENT, params, MAX_PARAMS);
	const char *dot = strchr(function, '.');
	struct text t = { 0 };

	if (nr >= 0 || !dot)
		return nr;
	text_bytes(&t, function, (size_t)(dot - function));
	nr = btf_arguments(c->btf, text_str(&t), BTF_AS_LIBTRACEEVENT, params, MAX_PARAMS);
	text_fini(&t);
	return nr;
}

static void add_args(const struct plugin_args *a, const char *function)
{
	struct btf_argument params[MAX_PARAMS];
	int nr = find_params(a->c, function, params);
	uint32_t reg = 0;

	if (nr < 0)
		for (uint32_t i = 0; i < a->nr; i++)
			text_printf(a->out, i ? ", %" PRIx64 : "%" PRIx64, value_of(a, i));
	for (int p = 0; p < nr && p < (int)MAX_PARAMS; p++, reg++) {
		if (p)
			text_add(a->out, ", ");
		if (reg >= a->nr) {
			text_add(a->out, "...");
			break;
		}
		reg = add_one(a, &params[p], reg);
		if (reg >= a->nr)
			break;
	}
}

/* The record's arguments: from the field's offset to the end of the record. */
static struct plugin_args args_of(const struct text_context *c, unsigned int field,
				  const struct print_record *rec, struct text *out)
{
	const struct event_field *f = c->f[field];
	struct plugin_args a = {
		.c = c, .rec = rec, .size = (uint32_t)c->user_long_size, .out = out
	};

	if (f && f->offset < rec->size) {
		a.offset = f->offset;
		a.nr = (rec->size - f->offset) / a.size;
	}
	return a;
}

/* --- calls ----------------------------------------------------------------- */

enum { ENTRY_FUNC, ENTRY_DEPTH, ENTRY_RETADDR, ENTRY_ARGS };

static void add_depth(const struct text_context *c, uint64_t depth, struct text *out)
{
	if (c->options->depth)
		text_printf(out, " (%" PRId64 ")", (int64_t)depth);
}

static void add_retval(const struct text_context *c, const struct print_record *exit,
		       struct text *out)
{
	const struct event_field *f = c->graph->exit_retval;
	uint64_t v;

	if (!f || c->options->retval_skip)
		return;
	v = plugin_load(c, exit, f->offset, f->size);
	if (c->options->retval_dec || (!c->options->retval_hex && v >= (uint64_t)-4095))
		text_printf(out, " (ret=%" PRId64 ")", (int64_t)v);
	else
		text_printf(out, " (ret=0x%" PRIx64 ")", v);
}

static bool add_time_of_exit(const struct text_context *c, const struct print_record *exit,
			     struct text *out)
{
	const struct graph_text *g = c->graph;

	if (!g->exit_rettime || !g->exit_calltime) {
		text_printf(out, "<CANT FIND FIELD %s>!", g->exit_rettime ? "calltime" : "rettime");
		return false;
	}
	graph_text_add_duration(out, plugin_load(c, exit, g->exit_rettime->offset,
						 g->exit_rettime->size) -
					     plugin_load(c, exit, g->exit_calltime->offset,
							 g->exit_calltime->size));
	return true;
}

/* func depth retaddr args */
static PLUGIN_TWIN(plugin_graph_entry_34)
{
	struct kallsyms_symbol s, caller;
	uint64_t func, depth, retaddr;
	bool known, has_caller;
	struct plugin_args a;

	if (!c->graph->exit_type)
		return false;
	if (!next)
		text_add(out, "             |  ");
	else if (!add_time_of_exit(c, next, out))
		return true;
	if (!plugin_demand(c, ENTRY_DEPTH, "depth", rec, &depth, out))
		return true;
	graph_text_add_indent(out, depth);
	if (!plugin_demand(c, ENTRY_FUNC, "func", rec, &func, out))
		return true;
	known = plugin_symbol(c, func, &s);
	has_caller = plugin_number(c, ENTRY_RETADDR, rec, &retaddr) &&
		     plugin_symbol(c, retaddr, &caller);
	if (known) {
		a = args_of(c, ENTRY_ARGS, rec, out);
		text_printf(out, "%s(", s.name);
		if (c->f[ENTRY_ARGS])
			add_args(&a, s.name);
		text_char(out, ')');
	} else if (next || has_caller) {
		text_printf(out, "%" PRIx64 "()", func);
	} else {
		text_char(out, ')');	/* trace-cmd 3.4 drops the address here */
	}
	if (next) {
		text_char(out, ';');
		add_depth(c, depth, out);
	}
	if (has_caller)
		text_printf(out, " /* <-%s */", caller.name);
	if (next) {
		add_retval(c, next, out);
	} else {
		text_add(out, " {");
		add_depth(c, depth, out);
	}
	return true;
}

static bool merges_34(const struct text_context *c, const struct print_record *rec,
		      const struct print_record *next)
{
	return graph_text_is_leaf(c->graph, rec, next);
}

/* func depth */
static PLUGIN_TWIN(plugin_graph_exit_34)
{
	struct kallsyms_symbol s;
	uint64_t func, depth;

	(void)next;
	if (!c->graph->exit_type)
		return false;
	if (!add_time_of_exit(c, rec, out))
		return true;
	if (!plugin_demand(c, ENTRY_DEPTH, "depth", rec, &depth, out))
		return true;
	graph_text_add_indent(out, depth);
	text_char(out, '}');
	if (c->options->tailprint) {
		if (!plugin_number(c, ENTRY_FUNC, rec, &func) || !plugin_symbol(c, func, &s))
			return true;
		text_printf(out, " /* %s */", s.name);
	}
	add_depth(c, depth, out);
	add_retval(c, rec, out);
	return true;
}

/* --- function --------------------------------------------------------------- */

/* ip parent_ip args: the arguments follow the name */
static PLUGIN_TWIN(plugin_function_34)
{
	struct text in_brackets = { 0 };
	struct plugin_args a = args_of(c, 2, rec, &in_brackets);
	struct kallsyms_symbol s;
	bool done;
	uint64_t ip;

	if (!a.nr || !plugin_number(c, 0, rec, &ip) || !plugin_symbol(c, ip, &s))
		return plugin_function(c, rec, next, out);
	text_char(&in_brackets, '(');
	add_args(&a, s.name);
	text_char(&in_brackets, ')');
	done = plugin_function_with(c, rec, &in_brackets, out);
	text_fini(&in_brackets);
	return done;
}

const struct text_handler_def plugin_handlers_34[] = {
	{ "ftrace", "function", plugin_function_34, .remember = plugin_function_indent,
	  .fields = { "ip", "parent_ip", "args" } },
	{ "ftrace", "funcgraph_entry", plugin_graph_entry_34, .merges = merges_34,
	  .fields = { "func", "depth", "retaddr", "args" } },
	{ "ftrace", "fgraph_retaddr_entry", plugin_graph_entry_34, .merges = merges_34,
	  .fields = { "func", "depth", "retaddr", "args" } },
	{ "ftrace", "funcgraph_exit", plugin_graph_exit_34, .fields = { "func", "depth" } },
	{ .name = NULL },
};
