/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/graph_text.h"

#include <inttypes.h>
#include <string.h>

#include "parsers/print/text_pattern.h"
#include "parsers/types/field.h"

#define MAX_INDENT	20000		/* blanks; a damaged depth must not fill the memory */

void graph_text_init(struct graph_text *g, struct event_types *types, bool swap)
{
	const struct event_type *type = event_types_by_name(types, "ftrace", "funcgraph_exit");

	g->types = types;
	g->swap = swap;
	g->exit_type = type;
	g->exit_id = type ? type->id : -1;
	if (!type)
		return;
	g->exit_func = event_type_field(type, "func");
	g->exit_depth = event_type_field(type, "depth");
	g->exit_calltime = event_type_field(type, "calltime");
	g->exit_rettime = event_type_field(type, "rettime");
	g->exit_retval = event_type_field(type, "retval");
}

/* Load a number like libtraceevent: never sign-extended. */
static bool load_field(const struct graph_text *g, const struct event_field *f,
		       const struct print_record *rec, uint64_t *v)
{
	if (!f)
		return false;
	*v = field_load(rec->data, rec->size, f->offset, f->size, g->swap);
	return true;
}

static bool load_named(const struct graph_text *g, const char *name, const struct print_record *rec,
		       uint64_t *v)
{
	return rec->type && load_field(g, event_type_field(rec->type, name), rec, v);
}

/* The text that libtraceevent and trace-cmd leave in the line if a field is missing. */
static bool add_missing(struct text *out, const char *name)
{
	text_printf(out, "<CANT FIND FIELD %s>!", name);
	return false;
}

bool graph_text_is_leaf(const struct graph_text *g, const struct print_record *entry,
			const struct print_record *next)
{
	const struct common_layout *c = event_types_common(g->types);
	uint64_t func, next_func;

	return next && g->exit_type &&
	       field_type_id(c, next->data, next->size, g->swap) == g->exit_id &&
	       field_pid(c, entry->data, entry->size, g->swap) ==
		       field_pid(c, next->data, next->size, g->swap) &&
	       load_named(g, "func", entry, &func) &&
	       load_field(g, g->exit_func, next, &next_func) && func == next_func;
}

bool graph_text_has_times(const struct graph_text *g, const struct event_type *entry)
{
	return g->exit_rettime && g->exit_calltime && event_type_field(entry, "depth") &&
	       event_type_field(entry, "func");
}

void graph_text_add_duration(struct text *out, uint64_t ns)
{
	size_t begin;

	text_add(out, ns > 1000000000 ? "$ " :
		      ns > 1000000    ? "# " :
		      ns > 100000     ? "! " :
		      ns > 10000      ? "+ " :
					"  ");
	begin = out->len;
	text_u64(out, ns / 1000);
	if (out->len - begin < 7)
		text_printf(out, ".%03u", (unsigned int)(ns % 1000));
	begin = out->len - begin;
	text_add(out, " us ");
	if (begin < 7)
		text_pad(out, 7 - begin);
	text_add(out, "|  ");
}

void graph_text_add_indent(struct text *out, uint64_t depth)
{
	int32_t blanks = (int32_t)(uint32_t)(depth * 2);

	if (blanks > 0)
		text_pad(out, blanks < MAX_INDENT ? (size_t)blanks : MAX_INDENT);
}

static void add_function(struct text *out, const struct kallsyms *syms, uint64_t address,
			 const char *unknown)
{
	struct kallsyms_symbol s;

	if (kallsyms_find_as_tep(syms, address, &s))
		text_add(out, s.name);
	else
		text_printf(out, "%s%" PRIx64, unknown, address);
}

bool graph_text_entry(const struct graph_text *g, const struct kallsyms *syms,
		      const struct print_record *rec, const struct print_record *exit,
		      struct text *out)
{
	uint64_t depth, func, calltime, rettime;

	if (!g->exit_type)
		return false;
	if (exit) {
		if (!load_field(g, g->exit_rettime, exit, &rettime))
			return add_missing(out, "rettime");
		if (!load_field(g, g->exit_calltime, exit, &calltime))
			return add_missing(out, "calltime");
		graph_text_add_duration(out, rettime - calltime);
	} else {
		text_add(out, "             |  ");
	}
	if (!load_named(g, "depth", rec, &depth))
		return add_missing(out, "depth");
	graph_text_add_indent(out, depth);
	if (!load_named(g, "func", rec, &func))
		return add_missing(out, "func");
	add_function(out, syms, func, "");
	text_add(out, exit ? "();" : "() {");
	if (g->depth)
		text_printf(out, " (%" PRId64 ")", (int64_t)depth);
	return true;
}

bool graph_text_exit(const struct graph_text *g, const struct kallsyms *syms,
		     const struct print_record *rec, struct text *out)
{
	uint64_t depth, func, calltime, rettime;
	struct kallsyms_symbol s;

	if (!g->exit_type)
		return false;
	if (!load_field(g, g->exit_rettime, rec, &rettime))
		return add_missing(out, "rettime");
	if (!load_field(g, g->exit_calltime, rec, &calltime))
		return add_missing(out, "calltime");
	graph_text_add_duration(out, rettime - calltime);
	if (!load_field(g, g->exit_depth, rec, &depth))
		return add_missing(out, "depth");
	graph_text_add_indent(out, depth);
	text_char(out, '}');
	if (g->tailprint) {
		if (!load_field(g, g->exit_func, rec, &func) ||
		    !kallsyms_find_as_tep(syms, func, &s))
			return true;
		text_printf(out, " /* %s */", s.name);
	}
	if (g->depth)
		text_printf(out, " (%" PRId64 ")", (int64_t)depth);
	return true;
}

bool graph_text_function(const struct graph_text *g, const struct kallsyms *syms,
			 const struct print_record *rec, struct text *out)
{
	struct kallsyms_symbol s;
	uint64_t ip;

	if (!load_named(g, "ip", rec, &ip))
		return add_missing(out, "ip");
	/* like trace-cmd, no arrow after an unknown function */
	if (kallsyms_find_as_tep(syms, ip, &s))
		text_printf(out, "%s <-- ", s.name);
	else
		text_printf(out, "0x%" PRIx64, ip);
	if (!load_named(g, "parent_ip", rec, &ip))
		return add_missing(out, "parent_ip");
	add_function(out, syms, ip, "0x");
	return true;
}

/* --- short texts --------------------------------------------------------- */

/* " 1.322 µs", or "+10.94 µs" with the mark of a long one; nothing if the exit has no times. */
static void short_duration(const struct graph_text *g, const struct print_record *exit, bool marked,
			   struct text *out)
{
	uint64_t calltime, rettime, ns;
	struct text duration = { 0 };

	if (!load_field(g, g->exit_rettime, exit, &rettime) ||
	    !load_field(g, g->exit_calltime, exit, &calltime) || !rettime)
		return;
	ns = rettime - calltime;
	if (ns < 1000)		/* the kernel's graph shows µs */
		text_printf(&duration, "0.%03u µs", (unsigned int)ns);
	else
		text_duration(&duration, ns);
	text_char(out, marked ? text_duration_mark(ns) : ' ');
	text_trimmed(out, &duration);
	text_fini(&duration);
}

static void short_return(const struct graph_text *g, const struct print_record *exit,
			 struct text *out)
{
	uint64_t retval;
	int64_t value;

	if (!load_field(g, g->exit_retval, exit, &retval))
		return;
	value = field_sign(retval, g->exit_retval->size);
	if (retval >> 32 == 0)	/* an int in a register: not sign-extended */
		value = (int32_t)retval;
	if (value < 0 && value >= -4095)
		text_printf(out, " ret=%" PRId64, value);
	else
		text_printf(out, " ret=0x%" PRIx64, retval);
	if (text_error_name(value))
		text_printf(out, " %s", text_error_name(value));
}

static bool short_entry(const struct graph_text *g, const struct kallsyms *syms,
			const struct print_record *rec, const struct print_record *exit,
			struct text *out)
{
	uint64_t func, parent;

	if (!load_named(g, "func", rec, &func))
		return false;
	kallsyms_name(syms, func, out);
	if (exit) {
		text_add(out, "(); ");
		short_duration(g, exit, true, out);
		short_return(g, exit, out);
	} else {
		text_add(out, "() {");
	}
	if (load_named(g, "retaddr", rec, &parent)) {
		text_add(out, " /* <-");
		kallsyms_name(syms, parent, out);
		text_add(out, " */");
	}
	return true;
}

static void short_exit(const struct graph_text *g, const struct kallsyms *syms,
		       const struct print_record *rec, struct text *out)
{
	uint64_t func;

	text_add(out, "} /* ");
	if (load_field(g, g->exit_func, rec, &func))
		kallsyms_name(syms, func, out);
	short_duration(g, rec, false, out);
	short_return(g, rec, out);
	text_add(out, " */");
}

bool graph_text_short(const struct graph_text *g, const struct kallsyms *syms,
		      const struct print_record *rec, const struct print_record *exit,
		      struct text *out)
{
	const char *name = rec->type ? rec->type->name : "";
	uint64_t func, parent;

	if (!rec->type || strcmp(rec->type->system, "ftrace"))
		return false;
	if (rec->type == g->exit_type) {
		short_exit(g, syms, rec, out);
		return true;
	}
	if (!strcmp(name, "funcgraph_entry") || !strcmp(name, "fgraph_retaddr_entry"))
		return short_entry(g, syms, rec, exit, out);
	if (!strcmp(name, "function") && load_named(g, "ip", rec, &func)) {
		kallsyms_name(syms, func, out);
		if (load_named(g, "parent_ip", rec, &parent)) {
			text_add(out, " <-");
			kallsyms_name(syms, parent, out);
		}
		return true;
	}
	return false;
}

void graph_text_short_pattern(struct text_pattern *p)
{
	text_pattern_str(p, "<-");
	text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
	text_pattern_str(p, "(); [");
	text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
	text_pattern_str(p, "](); 0x");
	text_pattern_chars(p, TEXT_PATTERN_HEX);
	text_pattern_str(p, "(); { } /* */ ");
	text_pattern_chars(p, TEXT_PATTERN_DURATION);
	text_pattern_str(p, " ret=");
	text_pattern_chars(p, TEXT_PATTERN_HEX "-");
	for (int64_t value = -4095; value < 0; value++) {
		text_pattern_str(p, text_error_name(value) ? " " : "");
		text_pattern_str(p, text_error_name(value) ?: "");
	}
}
