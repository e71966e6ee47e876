/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_formats - format files of types, as tracefs has them.  A pattern that finds the fields
 * of an event in a text (src/events) also tells how to print them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_types_private.h"
#include "parsers/source/source_form.h"
#include "src/events/known_events.h"
#include "src/events/template.h"

static const char common[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* A print format while it is made. */
struct print_maker {
	const struct perfetto_type *type;
	uint32_t	 preempted;	/* bit of prev_state */
	struct text	 print, args;
};

static const char *array_of(enum perfetto_kind kind)
{
	return kind == PERFETTO_COMM ? "[16]" :
	       kind == PERFETTO_ARGS ? "[6]" :
	       kind == PERFETTO_TAIL ? "[]" :
				       "";
}

static void add_field(const struct perfetto_field *f, struct text *out)
{
	const struct perfetto_kind_info *info = &perfetto_kinds[f->kind];
	size_t len = strlen(f->name);
	bool is_pid = f->kind == PERFETTO_INT && len >= 3 && !strcmp(f->name + len - 3, "pid");

	text_printf(out, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		    is_pid ? "pid_t" : info->type, f->name, array_of(f->kind), f->offset,
		    info->size, info->is_signed);
}

/* --- print formats -------------------------------------------------------------------------- */

static void add_args(struct print_maker *m, const char *name)
{
	for (unsigned int i = 0; i < 6; i++) {
		text_add(&m->print, i ? ", %lx" : "%lx");
		text_printf(&m->args, ", REC->%s[%u]", name, i);
	}
}

/* A value as the kernel mostly prints one of its kind. */
static void add_value(struct print_maker *m, const struct perfetto_field *f)
{
	static const char *const prints[] = { [PERFETTO_INT] = "%d", [PERFETTO_U32] = "%u",
					      [PERFETTO_S64] = "%lld", [PERFETTO_U64] = "%llu",
					      [PERFETTO_FUNCTION] = "%ps", [PERFETTO_COMM] = "%s",
					      [PERFETTO_TAIL] = "%s" };

	switch (f->kind) {
	case PERFETTO_ARGS:
		add_args(m, f->name);
		return;
	case PERFETTO_STRING:
		text_add(&m->print, "%s");
		text_printf(&m->args, ", __get_str(%s)", f->name);
		return;
	case PERFETTO_BYTES:
	case PERFETTO_ARRAY:
		text_add(&m->print, "%s");
		text_printf(&m->args,
			    f->kind == PERFETTO_BYTES ? ", __print_hex(__get_dynamic_array(%s), "
							"__get_dynamic_array_len(%s))" :
							", __print_array(__get_dynamic_array(%s), "
							"__get_dynamic_array_len(%s) / 8, 8)",
			    f->name, f->name);
		return;
	default:
		text_add(&m->print, !strcmp(f->name, "target_cpu") ? "%03d" : prints[f->kind]);
		text_printf(&m->args, ", %sREC->%s", f->kind == PERFETTO_FUNCTION ? "(void *)" : "",
			    f->name);
	}
}

static void add_state(struct print_maker *m)
{
	text_add(&m->print, "%s%s");
	text_printf(&m->args,
		    ", (REC->prev_state & 0x%x) ? __print_flags(REC->prev_state & 0x%x, \"|\", "
		    "{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, { 0x10, "
		    "\"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
		    "REC->prev_state & 0x%x ? \"+\" : \"\"",
		    m->preempted - 1, m->preempted - 1, m->preempted);
}

/* The value of a pattern, as the text has it.  False: the event does not have that. */
static bool add_known(struct print_maker *m, const struct template_part *part)
{
	for (unsigned int i = 0; i < m->type->nr_fields; i++) {
		const struct perfetto_field *f = &m->type->fields[i];
		bool is_text = f->kind == PERFETTO_STRING || f->kind == PERFETTO_COMM;

		if (!(m->type->seen >> i & 1) || !template_name_is(part, f->name))
			continue;
		if (template_how_is(part, "state")) {
			add_state(m);
		} else if (template_how_is(part, "address")) {
			text_add(&m->print, "0x%llx");
			text_printf(&m->args, ", REC->%s", f->name);
		} else if (!part->how_len || template_how_is(part, "int") ||
			   template_how_is(part, "symbol") || template_how_is(part, "args") ||
			   is_text) {
			add_value(m, f);
		} else {
			return false;
		}
		return true;
	}
	return false;
}

static void add_literal(struct text *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '%' || s[i] == '"' || s[i] == '\\')
			text_char(out, s[i] == '%' ? '%' : '\\');
		text_char(out, s[i]);
	}
}

static bool add_pattern(struct print_maker *m, const char *pattern)
{
	struct template_part part;

	text_clear(&m->print);
	text_clear(&m->args);
	while (template_next(&pattern, &part)) {
		add_literal(&m->print, part.text, part.text_len);
		if (part.name && !add_known(m, &part))
			return false;
	}
	return m->args.len;
}

static bool find_pattern(struct print_maker *m)
{
	const struct known_line *line;
	unsigned int at = 0;

	while ((line = known_events_next(KNOWN_PATTERN, &at)))
		if (line->names && !strcmp(line->of, m->type->system) &&
		    known_events_lists(line->names, m->type->name, strlen(m->type->name), NULL) &&
		    add_pattern(m, line->text))
			return true;
	return false;
}

static void add_print(const struct perfetto_type *type, uint32_t preempted, struct text *out)
{
	struct print_maker m = { .type = type, .preempted = preempted };

	if (type->number == EVENT_IS_PRINT) {
		text_add(&m.print, "%ps: %s");
		text_add(&m.args, ", (void *)REC->ip, REC->buf");
	} else if (!find_pattern(&m)) {
		text_clear(&m.print);
		text_clear(&m.args);
		for (unsigned int i = 0; i < type->nr_fields; i++) {
			if (!(type->seen >> i & 1))
				continue;
			text_printf(&m.print, "%s%s=", m.print.len ? " " : "",
				    type->fields[i].name);
			add_value(&m, &type->fields[i]);
		}
	}
	text_printf(out, "\nprint fmt: \"%s\"%s\n", text_str(&m.print), text_str(&m.args));
	text_fini(&m.print);
	text_fini(&m.args);
}

/* The fields of a type that a pattern prints: bits, as of `seen`. */
static uint64_t fields_in(const struct perfetto_type *type, const char *pattern)
{
	struct template_part part;
	uint64_t fields = 0;

	while (template_next(&pattern, &part))
		for (unsigned int i = 0; part.name && i < type->nr_fields; i++)
			if (template_name_is(&part, type->fields[i].name))
				fields |= 1ull << i;
	return fields;
}

/*
 * Perfetto's recorder writes all fields of an event, others leave out those that are 0.  What the
 * scheduler's events need is there, also if no event of the trace has it: the fields of the pattern
 * that differs least from what was seen.
 */
static void complete(struct perfetto_type *type)
{
	const struct known_line *line;
	uint64_t best = type->seen;
	int least = INT_MAX;
	unsigned int at = 0;

	if (strcmp(type->system, "sched") != 0)
		return;
	while ((line = known_events_next(KNOWN_PATTERN, &at))) {
		uint64_t fields = fields_in(type, line->text);
		int differ = __builtin_popcountll(fields ^ type->seen);

		if (line->names && !strcmp(line->of, type->system) && differ < least &&
		    known_events_lists(line->names, type->name, strlen(type->name), NULL)) {
			least = differ;
			best = fields;
		}
	}
	type->seen |= best;
}

/* --- formats -------------------------------------------------------------------------------- */

void perfetto_types_place(struct perfetto_types *types, unsigned int release)
{
	/* TASK_STATE_MAX and TASK_REPORT_MAX of include/linux/sched.h */
	uint32_t preempted = !release || release >= (4u << 16 | 14) ? 0x100 :
			     release >= (4u << 16 | 8)              ? 0x1000 :
								      0x800;
	struct text *out = &types->formats;

	types->places = mem_array(types->nr_used + 1ul, sizeof(*types->places));
	for (unsigned int i = 0; i < types->nr_used; i++) {
		struct perfetto_type *type = types->used[i];

		complete(type);
		types->places[i] = out->len;
		text_printf(out, "name: %s\nID: %d\nformat:\n%s", type->name, type->id, common);
		for (unsigned int k = 0; k < type->nr_fields; k++)
			if (type->seen >> k & 1 || type->number == EVENT_IS_PRINT)
				add_field(&type->fields[k], out);
		add_print(type, preempted, out);
	}
	types->places[types->nr_used] = out->len;
}

static void add_formats(const struct perfetto_types *types, bool of_ftrace,
			struct source_formats *formats)
{
	for (unsigned int i = 0; i < types->nr_used; i++) {
		const struct perfetto_type *type = types->used[i];

		if (!strcmp(type->system, "ftrace") != of_ftrace)
			continue;
		source_add_format(formats, &(struct source_format){
			.system = type->system, .text = types->formats.data + types->places[i],
			.size = (uint32_t)(types->places[i + 1] - types->places[i]),
			.id = type->id,
			.lacks = type->lacks_flags ? FORMAT_LACKS_FLAGS : 0 });
	}
}

void perfetto_types_formats(const struct perfetto_types *types, struct source_formats *formats)
{
	add_formats(types, true, formats);
	add_formats(types, false, formats);
}
