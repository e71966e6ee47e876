/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_run - matches records: without allocations and locks per record, except when a name is
 * first looked up, or a line must be made.
 */
#include "src/filter/filter_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "src/trace/trace_latency.h"
#include "src/trace/trace_streams.h"

#define RECORD_TAIL	256u		/* bytes after a record that may be read */

struct filter_run *filter_run_new(const struct filter *filter)
{
	struct filter_run *run = mem_alloc(sizeof(*run));

	run->f = filter;
	run->scratch = filter_scratch_new();
	run->stream = UINT32_MAX;
	run->nr_kinds = UINT32_MAX;
	run->scope_bits = mem_array(filter->nr_scopes + 1, sizeof(*run->scope_bits));
	run->comm_pids = mem_array(filter->nr_patterns + 1, sizeof(*run->comm_pids));
	return run;
}

void filter_run_free(struct filter_run *run)
{
	if (!run)
		return;
	filter_scratch_free(run->scratch);
	text_fini(&run->line);
	text_fini(&run->shown);
	text_fini(&run->part);
	if (run->lines)
		run->lines->scratch_free(run->lines_scratch);
	free(run->scope_bits);
	free(run->comm_pids);
	free(run);
}

/* --- numbers ----------------------------------------------------------------------------- */

static bool load_element(struct filter_run *run, const struct filter_load *load, uint64_t *v)
{
	struct field_span span = field_bytes(load->field, run->rec.data, run->rec.size,
					     load->flags & FILTER_SWAP);

	if (!span.data || load->width == 0 || load->arg >= span.len / load->width)
		return false;
	*v = field_load(span.data, span.len, load->arg * load->width, load->width,
			load->flags & FILTER_SWAP);
	if (load->flags & FILTER_SIGNED)
		*v = (uint64_t)field_sign(*v, load->width);
	return true;
}

static int common_pid(const struct filter_run *run)
{
	return field_pid(event_types_common(run->source->types), run->rec.data, run->rec.size,
			 run->ff->swap);
}

static unsigned int slot_of(int32_t pid)
{
	return ((uint32_t)pid * 0x9e3779b1u >> 16) & (FILTER_COMM_SLOTS - 1);
}

static bool load_tgid(struct filter_run *run, uint64_t *v)
{
	struct tgid_table *table = run->source->tgids;
	int32_t pid = common_pid(run);
	uint64_t changes = 1 + tgid_table_changes(table);
	struct filter_tgid_slot *slot = &run->tgids[slot_of(pid)];
	int64_t ts = run->rec.ts;

	if (slot->changes != changes || slot->pid != pid || ts < slot->from || ts > slot->to) {
		*slot = (struct filter_tgid_slot){ .pid = pid, .changes = changes };
		slot->known = tgid_table_at(table, pid, ts, &slot->tgid, &slot->from, &slot->to);
	}
	*v = (uint64_t)(int64_t)slot->tgid;
	return slot->known;
}

/* Load a number, in either byte order: false if the record does not have it. */
static bool load_number(struct filter_run *run, const struct filter_load *load, uint64_t *v)
{
	int64_t value;

	switch ((enum filter_from)load->from) {
	case FILTER_FROM_FIELD:
		*v = field_load(run->rec.data, run->rec.size, load->offset, load->width,
				load->flags & FILTER_SWAP);
		if (load->flags & FILTER_SIGNED)
			*v = (uint64_t)field_sign(*v, load->width);
		return true;
	case FILTER_FROM_ELEMENT:
		return load_element(run, load, v);
	case FILTER_FROM_CPU:
		*v = (uint64_t)(int64_t)run->rec.cpu;
		return true;
	case FILTER_FROM_BUFFER:
		*v = trace_stream_at(run->f->trace, run->rec.stream)->buffer;
		return true;
	case FILTER_FROM_TIME:
		*v = (uint64_t)run->rec.ts;
		return true;
	case FILTER_FROM_TGID:
		return load_tgid(run, v);
	case FILTER_FROM_NAME:
		if (!(load->derived ?
			      derived_value_find(load->derived, run->seen, run->rec.ref, &value) :
			      load->name->model->value(load->name->number, &run->rec, &value)))
			return false;
		*v = (uint64_t)value;
		return true;
	}
	return false;
}

static bool arithmetic(enum filter_step_op op, uint64_t x, uint64_t y, uint64_t *out)
{
	int64_t sx = (int64_t)x, sy = (int64_t)y;

	switch (op) {
	case FILTER_STEP_ADD:
		*out = x + y;
		return true;
	case FILTER_STEP_SUB:
		*out = x - y;
		return true;
	case FILTER_STEP_MUL:
		*out = x * y;
		return true;
	case FILTER_STEP_DIV:
		*out = y ? x / y : 0;
		return y != 0;
	case FILTER_STEP_MOD:
		*out = y ? x % y : 0;
		return y != 0;
	case FILTER_STEP_DIV_SIGNED:
		*out = !y ? 0 : sy == -1 ? 0 - x : (uint64_t)(sx / sy);
		return y != 0;
	case FILTER_STEP_MOD_SIGNED:
		*out = !y || sy == -1 ? 0 : (uint64_t)(sx % sy);
		return y != 0;
	case FILTER_STEP_AND:
		*out = x & y;
		return true;
	case FILTER_STEP_OR:
		*out = x | y;
		return true;
	case FILTER_STEP_XOR:
		*out = x ^ y;
		return true;
	case FILTER_STEP_SHL:
		*out = y < 64 ? x << y : 0;
		return true;
	case FILTER_STEP_SHR:
		*out = y < 64 ? x >> y : 0;
		return true;
	case FILTER_STEP_SHR_SIGNED:
		*out = y < 64 ? (uint64_t)(sx >> y) : sx < 0 ? UINT64_MAX : 0;
		return true;
	case FILTER_PUSH_LOAD:
	case FILTER_PUSH_CONST:
	case FILTER_STEP_NEG:
	case FILTER_STEP_INVERT:
		break;
	}
	return false;
}

/* Run steps on a stack; false if a number is missing, or on a division by zero. */
static bool evaluate(struct filter_run *run, const struct filter_step *steps, uint32_t nr,
		     uint64_t *stack)
{
	unsigned int top = 0;

	for (uint32_t i = 0; i < nr; i++) {
		switch ((enum filter_step_op)steps[i].op) {
		case FILTER_PUSH_LOAD:
			if (!load_number(run, &steps[i].load, &stack[top]))
				return false;
			top++;
			break;
		case FILTER_PUSH_CONST:
			stack[top++] = steps[i].value;
			break;
		case FILTER_STEP_NEG:
			stack[top - 1] = 0 - stack[top - 1];
			break;
		case FILTER_STEP_INVERT:
			stack[top - 1] = ~stack[top - 1];
			break;
		default:
			top--;
			if (!arithmetic(steps[i].op, stack[top - 1], stack[top], &stack[top - 1]))
				return false;
			break;
		}
	}
	return true;
}

/* Compare two numbers, whatever their signs: -1, 0, 1. */
static int order(enum filter_sign sign, uint64_t x, uint64_t y)
{
	int64_t sx = (int64_t)x, sy = (int64_t)y;

	switch (sign) {
	case FILTER_BOTH_SIGNED:
		return sx < sy ? -1 : sx > sy;
	case FILTER_BOTH_UNSIGNED:
		break;
	case FILTER_LEFT_SIGNED:
		if (sx < 0)
			return -1;
		break;
	case FILTER_RIGHT_SIGNED:
		if (sy < 0)
			return 1;
		break;
	}
	return x < y ? -1 : x > y;
}

static bool compare(struct filter_run *run, const struct filter_test *t)
{
	uint64_t stack[FILTER_MAX_STACK];
	int o;

	if (!evaluate(run, t->steps, t->nr_steps, stack))
		return false;
	o = order(t->sign, stack[0], stack[1]);
	/* equality compares bits: 0xffff… may be written for -1 */
	if (t->op == FILTER_OP_EQ || t->op == FILTER_OP_NE)
		o = stack[0] != stack[1];
	return filter_op_holds(t->op, o);
}

static bool in_set(struct filter_run *run, const struct filter_test *t)
{
	uint64_t stack[FILTER_MAX_STACK];

	if (t->nr_steps ? !evaluate(run, t->steps, t->nr_steps, stack) :
			  !load_number(run, &t->load, stack))
		return false;
	return filter_set_has(run->f->sets[t->index], stack[0]) != t->negate;
}

/* --- names of tasks ------------------------------------------------------------------------- */

static const struct filter_comm_slot *comm_slot(struct filter_run *run)
{
	int32_t pid = common_pid(run);
	uint64_t changes = 1 + comm_table_changes(run->comms);
	struct filter_comm_slot *slot = &run->slots[slot_of(pid)];
	int64_t ts = run->rec.ts;

	if (slot->changes == changes && slot->pid == pid && ts >= slot->from && ts <= slot->to)
		return slot;
	*slot = (struct filter_comm_slot){ .pid = pid, .changes = changes };
	slot->name = comm_table_span(run->comms, pid, ts, &slot->from, &slot->to);
	return slot;
}

static bool comm_matches(struct filter_run *run, uint32_t index)
{
	struct filter_comm_slot *slot = (struct filter_comm_slot *)comm_slot(run);
	uint64_t bit = index < 64 ? 1ull << index : 0;
	bool hit;

	if (slot->known & bit)
		return slot->hits & bit;
	hit = filter_pattern_test(run->f->patterns[index], run->scratch, slot->name,
				  strlen(slot->name));
	slot->known |= bit;
	slot->hits = hit ? slot->hits | bit : slot->hits & ~bit;
	return hit;
}

/* The saved name; if the file has none, the name known otherwise. */
static bool saved_comm_matches(struct filter_run *run, uint32_t index)
{
	int pid = common_pid(run);
	const char *name = pid ? comm_table_saved_name(run->comms, pid) : "<idle>";

	if (!name)
		name = comm_slot(run)->name;
	return filter_pattern_test(run->f->patterns[index], run->scratch, name, strlen(name));
}

/* --- who a task is ---------------------------------------------------------------------------- */

static const struct who *who_of(struct filter_run *run)
{
	int32_t pid = common_pid(run);
	uint64_t changes = 1 + trace_who_changes(run->f->trace, run->file);
	struct filter_who_slot *slot = &run->whos[slot_of(pid)];
	int64_t ts = run->rec.ts;

	if (slot->changes != changes || slot->pid != pid || ts < slot->from || ts > slot->to) {
		*slot = (struct filter_who_slot){ .pid = pid, .changes = changes };
		slot->known = trace_who(run->f->trace, run->file, pid, ts, &slot->who, &slot->from,
					&slot->to);
	}
	return slot->known ? &slot->who : NULL;
}

static bool test_word(struct filter_run *run, uint32_t index, const char *word)
{
	return index == FILTER_WHO_KNOWN ||
	       filter_pattern_test(run->f->patterns[index], run->scratch, word, strlen(word));
}

/* What another look contradicts is not known. */
static bool sched_matches(struct filter_run *run, const struct filter_test *t)
{
	struct who_sched sched;

	if (!trace_sched(run->f->trace, run->file, common_pid(run), run->rec.ts, &sched) ||
	    sched.is_doubtful)
		return false;
	return t->lo == FILTER_WHO_POLICY ?
		       test_word(run, t->index, trace_latency_policy(sched.policy)) :
		       sched.allowed && test_word(run, t->index, sched.allowed);
}

static bool who_matches(struct filter_run *run, const struct filter_test *t)
{
	const struct who *who;
	char uid[24];

	if (t->lo == FILTER_WHO_ALLOWED || t->lo == FILTER_WHO_POLICY)
		return sched_matches(run, t);
	who = who_of(run);
	if (!who)
		return false;
	switch ((enum filter_who)t->lo) {
	case FILTER_WHO_PROCESS:
		return who->tgid &&
		       test_word(run, t->index, comm_table_at(run->comms, who->tgid, run->rec.ts));
	case FILTER_WHO_EXE:
		return who->exe && test_word(run, t->index, who->exe);
	case FILTER_WHO_CMDLINE:
		return who->cmdline && test_word(run, t->index, who->cmdline);
	case FILTER_WHO_CGROUP:
		return who->cgroup && test_word(run, t->index, who->cgroup);
	case FILTER_WHO_USER:
		snprintf(uid, sizeof(uid), "%" PRId64, who->uid);
		return who->uid >= 0 && ((who->user && test_word(run, t->index, who->user)) ||
					 test_word(run, t->index, uid));
	case FILTER_WHO_ALLOWED:
	case FILTER_WHO_POLICY:
		break;
	}
	return false;
}

/* --- strings, arrays, sets of CPUs ------------------------------------------------------------ */

static bool string_matches(struct filter_run *run, const struct filter_test *t)
{
	struct field_span span = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);

	return filter_pattern_test(run->f->patterns[t->index], run->scratch,
				   span.data ? (const char *)span.data : "", span.len);
}

static bool strings_equal(struct filter_run *run, const struct filter_test *t)
{
	struct field_span a = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);
	struct field_span b = field_bytes(t->other, run->rec.data, run->rec.size, t->swap);

	return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

static bool comm_equals_field(struct filter_run *run, const struct filter_test *t)
{
	struct field_span span = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);
	const char *name = comm_slot(run)->name;

	return strlen(name) == span.len && (!span.len || !memcmp(name, span.data, span.len));
}

static bool array_has(struct filter_run *run, const struct filter_test *t)
{
	struct field_span span = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);
	uint32_t nr = span.data && t->field->element_size ? span.len / t->field->element_size : 0;

	for (uint32_t i = 0; i < nr; i++)
		if (filter_set_has(run->f->sets[t->index],
				   field_element(t->field, span, i, t->swap)) != t->negate)
			return true;
	return false;
}

static bool mask_matches(struct filter_run *run, const struct filter_test *t)
{
	struct field_span span = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);
	const struct filter_set *set = run->f->sets[t->index];
	uint64_t total = 0, nr = 0, inside = 0;

	for (unsigned int i = 0; i < set->nr; i++)
		total += set->parts[i].hi - set->parts[i].lo + 1;
	for (uint32_t at = 0; span.data && t->long_size && span.len - at >= t->long_size;
	     at += t->long_size) {
		uint64_t word = field_load(span.data, span.len, at, t->long_size, t->swap);

		for (; word; word &= word - 1) {
			nr++;
			inside += filter_set_has(set,
						 at * 8ull + (unsigned int)__builtin_ctzll(word));
		}
	}
	switch (t->mask_op) {
	case FILTER_MASK_ANY: return inside > 0;
	case FILTER_MASK_ALL: return inside == total;
	case FILTER_MASK_EQUAL: return inside == total && nr == total;
	case FILTER_MASK_INSIDE: return nr > 0 && nr == inside;
	}
	return false;
}

/* Does the stack have the address?  Reads to the record's end, whatever length the format says. */
static bool stack_has(struct filter_run *run, const struct filter_test *t)
{
	struct field_span span = field_bytes(t->field, run->rec.data, run->rec.size, t->swap);
	uint32_t width = t->field->element_size == 4 || t->field->element_size == 8 ?
				 t->field->element_size :
				 t->long_size;

	if (t->field->kind != FIELD_DYNAMIC_ARRAY && t->field->offset <= run->rec.size) {
		span.data = run->rec.data + t->field->offset;
		span.len = run->rec.size - t->field->offset;
	}
	for (uint32_t at = 0; span.data && span.len - at >= width; at += width) {
		uint64_t address = field_load(span.data, span.len, at, width, t->swap);

		if (address == (width == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		if (filter_set_has(run->f->sets[t->index], address))
			return true;
	}
	return false;
}

static struct print_record record_of(const struct filter_run *run, const struct event_type *type)
{
	return (struct print_record){ .type = type, .data = run->rec.data, .size = run->rec.size,
				      .room = run->room,
				      .ts = (uint64_t)run->rec.ts, .cpu = run->rec.cpu };
}

static bool shown_matches(struct filter_run *run, const struct filter_test *t)
{
	struct print_record rec = record_of(run, t->type);

	text_clear(&run->shown);
	return run->source->texts &&
	       record_text_field(run->source->texts, TEXT_KERNEL, &rec, t->field, &run->shown) &&
	       filter_pattern_test(run->f->patterns[t->index], run->scratch, text_str(&run->shown),
				   run->shown.len);
}

static bool hex_matches(struct filter_run *run, const struct filter_test *t)
{
	char buf[24];
	uint64_t v;

	if (!load_number(run, &t->load, &v))
		return false;
	snprintf(buf, sizeof(buf), "0x%" PRIx64, v);
	return filter_pattern_test(run->f->patterns[t->index], run->scratch, buf, strlen(buf));
}

/* --- what a record describes ------------------------------------------------------------------ */

struct described_test {
	struct filter_run	*run;
	const struct filter_test *test;
	bool			 hit;
};

static bool number_is(enum filter_op op, long double x, long double y)
{
	bool is_ordered = x == x;	/* not so for a NaN, which differs from all */

	return is_ordered ? filter_op_holds(op, (x > y) - (x < y)) : op == FILTER_OP_NE;
}

static void test_described(void *arg, const struct event_header_value *v)
{
	struct described_test *d = arg;
	const struct filter_test *t = d->test;

	if (d->hit || strcmp(v->name, t->described) != 0)
		return;
	if (t->index != FILTER_NO_PATTERN)
		d->hit = filter_pattern_test(d->run->f->patterns[t->index], d->run->scratch,
					     v->text, v->text_len) != t->negate;
	else
		d->hit = t->op == FILTER_OP_NONE ||
			 (v->has_number && number_is(t->op, v->number, t->number));
}

static bool described_matches(struct filter_run *run, const struct filter_test *t)
{
	struct described_test d = { .run = run, .test = t };

	event_header_read(t->type, run->rec.data, run->rec.size, test_described, &d);
	return d.hit;
}

/* --- the line --------------------------------------------------------------------------------- */

/* A record as a row of the model, without links to its neighbours. */
static void fill_event(struct filter_run *run, struct trace_event *event)
{
	const struct cursor_row row = {
		.item = 1, .size = run->rec.size, .room = run->room, .data = run->rec.data
	};

	trace_fill_event(run->f->trace, run->rec.stream, &row, event);
	event->ref = run->rec.ref;
	event->ts = event->key = run->rec.ts;
}

static bool made_line_matches(struct filter_run *run, const struct filter_lines *maker,
			      const struct filter_pattern *m)
{
	struct trace_event event;

	fill_event(run, &event);
	run->line_made = false;
	if (run->lines != maker) {
		if (run->lines)
			run->lines->scratch_free(run->lines_scratch);
		run->lines = maker;
		run->lines_scratch = maker->scratch_new();
	}
	text_clear(&run->line);
	return maker->add(maker->arg, run->lines_scratch, &event, &run->line) &&
	       filter_pattern_test(m, run->scratch, text_str(&run->line), run->line.len);
}

/* "bash-1234 sched_switch: the text" */
static bool line_matches(struct filter_run *run, const struct filter_test *t)
{
	const struct filter_pattern *m = run->f->patterns[t->index];
	struct text *line = &run->line;

	if (filter_pattern_given_up(m))
		return false;
	if (t->lines)
		return made_line_matches(run, t->lines, m);
	if (!run->line_made) {
		struct print_record rec = record_of(run, run->rec.type);

		text_clear(line);
		text_printf(line, "%s-%d %s: ", comm_slot(run)->name, common_pid(run),
			    run->rec.type ? run->rec.type->name : "?");
		if (run->source->printer)
			printer_text(run->source->printer, PRINT_KERNEL, &rec, NULL, NULL, line);
		run->line_made = true;
	}
	return filter_pattern_test(m, run->scratch, text_str(line), line->len);
}

/* Strings of a record that is too short, or unterminated strings, extend past it (print_run.c). */
static bool bytes_match(struct filter_run *run, uint32_t index)
{
	uint32_t len = run->rec.size;

	if (run->rec.type && len < (uint32_t)run->rec.type->size)
		return true;
	if (len && run->rec.data[len - 1] && run->room > len)
		len = run->room - len > RECORD_TAIL ? len + RECORD_TAIL : run->room;
	return filter_pattern_test(run->f->patterns[index], run->scratch,
				   (const char *)run->rec.data, len);
}

/* --- calls ------------------------------------------------------------------------------------ */

static bool is_within(struct filter_run *run, const struct filter_test *t)
{
	int32_t pid = run->own_pid ? *run->own_pid : common_pid(run);

	return derived_value_covers(t->load.derived, run->seen, run->rec.ref,
				    trace_task_key(pid, (unsigned int)run->rec.cpu), run->rec.ts);
}

/* --- programs --------------------------------------------------------------------------------- */

bool filter_run_test(struct filter_run *run, const struct filter_test *t)
{
	uint64_t v;

	switch (t->kind) {
	case FILTER_TEST_RANGE:
		return load_number(run, &t->load, &v) && (v - t->lo <= t->span) != t->negate;
	case FILTER_TEST_BITS:
		return load_number(run, &t->load, &v) && (v & t->lo);
	case FILTER_TEST_SET:
		return in_set(run, t);
	case FILTER_TEST_COMPARE:
		return compare(run, t);
	case FILTER_TEST_STRING:
		return string_matches(run, t);
	case FILTER_TEST_STRINGS:
		return strings_equal(run, t);
	case FILTER_TEST_COMM:
		return comm_matches(run, t->index);
	case FILTER_TEST_SAVED_COMM:
		return saved_comm_matches(run, t->index);
	case FILTER_TEST_WHO:
		return who_matches(run, t);
	case FILTER_TEST_COMM_FIELD:
		return comm_equals_field(run, t);
	case FILTER_TEST_TEXT:
		return line_matches(run, t);
	case FILTER_TEST_BYTES:
		return bytes_match(run, t->index);
	case FILTER_TEST_ARRAY:
		return array_has(run, t);
	case FILTER_TEST_MASK:
		return mask_matches(run, t);
	case FILTER_TEST_HEX:
		return hex_matches(run, t);
	case FILTER_TEST_SHOWN:
		return shown_matches(run, t);
	case FILTER_TEST_WITHIN:
		return is_within(run, t);
	case FILTER_TEST_STACK:
		return stack_has(run, t);
	case FILTER_TEST_DESCRIBED:
		return described_matches(run, t);
	case FILTER_TEST_PART:
	case FILTER_TEST_TYPES:
	case FILTER_TEST_LOST:
	case FILTER_TEST_UNKNOWN:
		break;
	}
	return false;
}

static bool run_program(struct filter_run *run, uint32_t at)
{
	const struct filter_insn *insns = run->ff->code.insns;
	const uint8_t *data = run->rec.data;
	uint32_t size = run->rec.size;

	while (at < FILTER_NO) {
		const struct filter_insn *in = &insns[at];
		bool hit = false;

		switch ((enum filter_insn_op)in->op) {
		case FILTER_INSN_RANGE1:
			hit = field_load(data, size, in->offset, 1, false) - in->lo <= in->span;
			break;
		case FILTER_INSN_RANGE2:
			hit = field_load(data, size, in->offset, 2, false) - in->lo <= in->span;
			break;
		case FILTER_INSN_RANGE4:
			hit = field_load(data, size, in->offset, 4, false) - in->lo <= in->span;
			break;
		case FILTER_INSN_RANGE8:
			hit = field_load(data, size, in->offset, 8, false) - in->lo <= in->span;
			break;
		case FILTER_INSN_RANGE1S:
			hit = (uint64_t)(int8_t)field_load(data, size, in->offset, 1, false) -
				      in->lo <=
			      in->span;
			break;
		case FILTER_INSN_RANGE2S:
			hit = (uint64_t)(int16_t)field_load(data, size, in->offset, 2, false) -
				      in->lo <=
			      in->span;
			break;
		case FILTER_INSN_RANGE4S:
			hit = (uint64_t)(int32_t)field_load(data, size, in->offset, 4, false) -
				      in->lo <=
			      in->span;
			break;
		case FILTER_INSN_BITS1:
			hit = field_load(data, size, in->offset, 1, false) & in->lo;
			break;
		case FILTER_INSN_BITS2:
			hit = field_load(data, size, in->offset, 2, false) & in->lo;
			break;
		case FILTER_INSN_BITS4:
			hit = field_load(data, size, in->offset, 4, false) & in->lo;
			break;
		case FILTER_INSN_BITS8:
			hit = field_load(data, size, in->offset, 8, false) & in->lo;
			break;
		case FILTER_INSN_TIME:
			hit = (uint64_t)run->rec.ts - in->lo <= in->span;
			break;
		case FILTER_INSN_TEST:
			hit = filter_run_test(run, in->test);
			break;
		}
		at = hit ? in->yes : in->no;
	}
	return at == FILTER_YES;
}

static inline uint32_t entry_of(const struct filter_file *ff, int type_id)
{
	return (unsigned int)type_id < ff->nr_ids ? ff->entry[type_id] : ff->unknown;
}

enum filter_verdict filter_run_type(const struct filter_run *run, int type_id)
{
	uint32_t entry = entry_of(run->ff, type_id);

	return entry == FILTER_ENTRY_NEVER  ? FILTER_NEVER :
	       entry == FILTER_ENTRY_ALWAYS ? FILTER_ALWAYS :
					      FILTER_TEST;
}

bool filter_run_range(const struct filter_run *run, int type_id, struct filter_range *range)
{
	static const struct {
		uint8_t	width;
		bool	is_signed;
	} loads[] = {
		[FILTER_INSN_RANGE1] = { 1, false }, [FILTER_INSN_RANGE2] = { 2, false },
			[FILTER_INSN_RANGE4] = { 4, false },
		[FILTER_INSN_RANGE8] = { 8, false }, [FILTER_INSN_RANGE1S] = { 1, true },
			[FILTER_INSN_RANGE2S] = { 2, true },
		[FILTER_INSN_RANGE4S] = { 4, true },
	};
	uint32_t entry = entry_of(run->ff, type_id);
	const struct filter_insn *in;

	if (entry >= FILTER_NO)
		return false;
	in = &run->ff->code.insns[entry];
	if (in->op > FILTER_INSN_RANGE4S || in->yes != FILTER_YES || in->no != FILTER_NO)
		return false;
	*range = (struct filter_range){ .lo = in->lo, .span = in->span, .offset = in->offset,
					.width = loads[in->op].width,
					.is_signed = loads[in->op].is_signed };
	return true;
}

bool filter_run_match(struct filter_run *run, trace_ref ref, int type_id, const uint8_t *data,
		      uint32_t size, uint32_t room, int64_t ts)
{
	uint32_t entry = entry_of(run->ff, type_id);

	if (entry >= FILTER_NO)
		return entry == FILTER_ENTRY_ALWAYS;
	run->rec.ref = ref;
	run->rec.data = data;
	run->rec.size = size;
	run->rec.ts = ts;
	run->room = room;
	if (run->f->uses_text || run->f->uses_models)
		run->rec.type = event_types_find(run->source->types, type_id);
	run->line_made = false;
	return run_program(run, entry);
}

/* --- several filters ------------------------------------------------------------------------- */

void filter_runs_init(struct filter_runs *runs, const struct filter *const *filters,
		      unsigned int nr)
{
	runs->nr = nr;
	runs->list = mem_array(nr + 1ul, sizeof(struct filter_run *));
	for (unsigned int i = 0; i < nr; i++)
		runs->list[i] = filter_run_new(filters[i]);
}

void filter_runs_fini(struct filter_runs *runs)
{
	for (unsigned int i = 0; i < runs->nr; i++)
		filter_run_free(runs->list[i]);
	free(runs->list);
}

bool filter_runs_type(const struct filter_runs *runs, int type_id)
{
	for (unsigned int i = 0; i < runs->nr; i++)
		if (filter_run_type(runs->list[i], type_id) == FILTER_NEVER)
			return false;
	return true;
}

void filter_runs_own_pid(struct filter_runs *runs, const int32_t *pid)
{
	for (unsigned int i = 0; i < runs->nr; i++)
		runs->list[i]->own_pid = pid;
}

bool filter_runs_match(struct filter_runs *runs, trace_ref ref, int type_id, const uint8_t *data,
		       uint32_t size, uint32_t room, int64_t ts)
{
	for (unsigned int i = 0; i < runs->nr; i++)
		if (!filter_run_match(runs->list[i], ref, type_id, data, size, room, ts))
			return false;
	return true;
}
