/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/graph_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/event_types.h"
#include "parsers/trace_file.h"
#include "src/call_text.h"
#include "src/call_tree.h"
#include "src/memory.h"

#define MAX_CALLS	600000u		/* held at a time: 60 MB */
#define BATCH		1024u
#define TIME_CELLS	13
#define TASK_CELLS	22
#define FIGURE_CELLS	49	/* behind the time, before the function */
#define MAX_EXACT	(1ull << 53)	/* a number of JSON */

struct graph_print {
	struct trace	*trace;
	unsigned int	 file;
	const struct graph_print_options *options;
	struct output	*out;
	struct graph_print_result *result;
	struct call_text *text;
	const char	*buffer;	/* name of the instance; "" = top */
	/* what is being printed */
	const struct call_tree *tree;
	const struct call_task *task;
	int32_t		 told_pid;	/* of the heading above; -2: none yet */
	uint16_t	 told_stream;
	uint8_t		*shown;		/* owned, [cap_shown] by number of a call: enum shown */
	uint32_t	 cap_shown;
	trace_ref	*begun;		/* owned: entries of calls whose line was printed before all in them was known */
	unsigned int	 nr_begun, cap_begun;
	struct text	 name;
	int		 failed;
	struct ft_error	*err;
};

enum shown { SHOWN_UNKNOWN, SHOWN_NO, SHOWN_YES };

/* --- what is shown --------------------------------------------------------------------- */

static bool is_wanted(const struct graph_print *p, const struct call *call)
{
	const struct graph_print_options *o = p->options;

	switch ((enum call_kind)call->kind) {
	case CALL_CLOSED:
	case CALL_ORPHAN:
		return call->wanted && call_duration(call) >= o->min_ns;
	case CALL_OPEN:
	case CALL_UNCLOSED:
		return call->wanted && !o->min_ns;
	case CALL_AWAY:
		return call_duration(call) >= o->min_ns;
	case CALL_EVENT:
		return !o->min_ns;
	case CALL_GROUP:
		break;
	}
	return false;
}

/* Times off the CPU and events go with the call they are in, where only some calls are wanted. */
static bool stands_alone(const struct graph_print *p, const struct call *call)
{
	return call_is_call(call) || !p->options->scope;
}

/* Is it to be shown, for itself or for what is in it?  From the leaves up, once for a tree. */
static void mark(struct graph_print *p, uint32_t number)
{
	uint32_t nr = 0, cap = 0, *stack = NULL;

	mem_grow(&stack, nr, &cap);
	stack[nr++] = number;
	while (nr) {
		uint32_t n = stack[nr - 1];
		const struct call *call = call_tree_call(p->tree, n);

		if (p->shown[n] == SHOWN_UNKNOWN) {	/* first its children */
			p->shown[n] = SHOWN_NO;
			for (uint32_t child = call->last; child; child = call_tree_call(p->tree, child)->before) {
				p->shown[child] = SHOWN_UNKNOWN;
				mem_grow(&stack, nr, &cap);
				stack[nr++] = child;
			}
			if (is_wanted(p, call) && stands_alone(p, call))
				p->shown[n] = SHOWN_YES;
			continue;
		}
		nr--;
		if (p->shown[n] == SHOWN_YES && n != number && call->parent)
			p->shown[call->parent] = SHOWN_YES;
	}
	free(stack);
}

static bool was_begun(const struct graph_print *p, const struct call *call)
{
	for (unsigned int i = p->nr_begun; i-- > 0;)
		if (p->begun[i] == call->entry && call_is_call(call))
			return true;
	return false;
}

static void forget_begun(struct graph_print *p, const struct call *call)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < p->nr_begun; i++)
		if (p->begun[i] != call->entry)
			p->begun[kept++] = p->begun[i];
	p->nr_begun = kept;
}

static bool is_shown(const struct graph_print *p, const struct call *call, uint32_t number)
{
	if (call->kind == CALL_GROUP)
		return false;
	if (was_begun(p, call))
		return true;
	if (!stands_alone(p, call))
		return is_wanted(p, call) && p->shown[call->parent] == SHOWN_YES;
	return p->shown[number] == SHOWN_YES;
}

static void need_marks(struct graph_print *p, uint32_t nr)
{
	if (nr < p->cap_shown)
		return;
	p->shown = mem_resize(p->shown, (size_t)nr * 2 + 1024, 1);
	p->cap_shown = nr * 2 + 1024;
}

/* --- rows ------------------------------------------------------------------------------ */

static void add_number(struct text *out, const char *key, uint64_t v)
{
	text_printf(out, v > MAX_EXACT ? ",\"%s\":\"%" PRIu64 "\"" : ",\"%s\":%" PRIu64, key, v);
}

static void add_string(struct text *out, const char *key, const char *s, size_t len)
{
	text_printf(out, ",\"%s\":\"", key);
	text_json(out, s, len);
	text_char(out, '"');
}

static const char *const kind_names[] = { "unclosed", "call", "orphan", "unclosed", "off_cpu", "event", "" };

static void add_json_words(struct graph_print *p, const struct call *call, struct text *out)
{
	static const struct {
		const char	*key;
		bool		(*add)(struct call_text *text, const struct call *call, struct text *out);
	} words[] = { { "return", call_text_return }, { "caller", call_text_caller } };
	struct text *t = &p->name;

	text_clear(t);
	if (call_text_arguments(p->text, call, call_tree_function(p->tree, call->func), t))
		add_string(out, "args", text_str(t), t->len);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t skip;

		text_clear(t);
		if (!words[i].add(p->text, call, t))
			continue;
		skip = i ? 2 : 4;	/* "<-", "ret=" */
		add_string(out, words[i].key, text_str(t) + skip, t->len - skip);
	}
}

static void add_json(struct graph_print *p, const struct call *call, unsigned int level, struct text *out)
{
	const char *comm = trace_comm(p->trace, p->file, p->task->pid, call_text_start(p->text, call));

	text_printf(out, "{\"kind\":\"%s\",\"level\":%u,\"pid\":%d", call->inferred ? "inferred" : kind_names[call->kind], level,
		    p->task->pid);
	add_string(out, "comm", comm, strlen(comm));
	text_printf(out, ",\"cpu\":%d", call_text_cpu(p->text, call, false));
	if (call_text_cpu(p->text, call, true) != call_text_cpu(p->text, call, false))
		text_printf(out, ",\"end_cpu\":%d", call_text_cpu(p->text, call, true));
	if (*p->buffer)
		add_string(out, "instance", p->buffer, strlen(p->buffer));
	text_printf(out, trace_unit(p->trace) == TRACE_UNIT_NS ? ",\"start_ns\":%" PRId64 : ",\"start\":%" PRId64,
		    call_text_start(p->text, call));
	if (call_is_call(call)) {
		const char *name = call_text_function(p->text, call_tree_function(p->tree, call->func));

		add_string(out, "function", name, strlen(name));
		text_printf(out, ",\"depth\":%d,\"context\":\"%s\"", call->depth, call_level_name(call->level));
	}
	if (call_is_timed(call) || call->kind == CALL_AWAY)
		add_number(out, "duration_ns", call_duration(call));
	if (call_is_timed(call)) {
		add_number(out, "self_ns", call->self);
		add_number(out, "net_ns", call->net);
	}
	if (call->inferred && call->calls != 1)
		add_number(out, "calls", call->calls);
	if (call->clipped)
		text_add(out, ",\"clipped\":true");
	text_clear(&p->name);
	if (call->kind == CALL_AWAY && call_text_state(p->text, call, &p->name))
		add_string(out, "state", text_str(&p->name), p->name.len);
	if (call->kind == CALL_EVENT) {
		call_text_event(p->text, call, &p->name);
		add_string(out, "text", text_str(&p->name), p->name.len);
	}
	if (call_is_call(call))
		add_json_words(p, call, out);
	text_add(out, "}\n");
}

static void add_time(struct graph_print *p, const struct call *call, struct text *out)
{
	struct text time = { 0 };

	if (trace_unit(p->trace) == TRACE_UNIT_NS)
		text_seconds(&time, call_text_start(p->text, call), 6);
	else
		text_printf(&time, "%" PRId64, call_text_start(p->text, call));
	text_pad(out, time.len < TIME_CELLS ? TIME_CELLS - time.len : 0);
	text_add(out, text_str(&time));
	text_fini(&time);
}

static void add_us(struct text *out, uint64_t ns)
{
	text_printf(out, "%9" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

/* By CPU: whose call it is. */
static void add_task(struct graph_print *p, const struct call *call, unsigned int level, struct text *out)
{
	size_t begin = out->len;

	if (level == 0) {
		const char *comm = trace_comm(p->trace, p->file, p->task->pid, call_text_start(p->text, call));

		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%d", p->task->pid);
	}
	text_pad(out, out->len - begin < TASK_CELLS ? TASK_CELLS - (out->len - begin) : 1);
}

/* "     7.431063   0 !     224.867        31.021       104.112  " */
static void add_figures(struct graph_print *p, const struct call *call, unsigned int level, struct text *out)
{
	add_time(p, call, out);
	text_printf(out, " %3d ", call_text_cpu(p->text, call, false));
	if (p->options->by_cpu)
		add_task(p, call, level, out);
	if (!call_is_timed(call) && call->kind != CALL_AWAY) {
		text_printf(out, "%c %13s %13s %13s  ", call->clipped ? '~' : ' ', "", "", "");
		return;
	}
	text_char(out, text_duration_mark(call_duration(call)));
	text_char(out, call->clipped ? '~' : ' ');
	add_us(out, call_duration(call));
	text_char(out, ' ');
	if (call->kind == CALL_AWAY) {
		text_pad(out, 29);
		return;
	}
	add_us(out, call->self);
	text_char(out, ' ');
	add_us(out, call->net);
	text_add(out, "  ");
}

/* Who called an inferred call, where that is not what it stands in. */
static bool add_caller(struct graph_print *p, const struct call *call, const struct call *above, struct text *out)
{
	if (!call_text_caller(p->text, call, out))
		return false;
	return !call->inferred || !above ||
	       strcmp(out->data + strlen("<-"), call_text_function(p->text, call_tree_function(p->tree, above->func)));
}

static void add_comment(struct graph_print *p, const struct call *call, struct text *out)
{
	static const char *const levels[] = { NULL, "softirq", "irq", "nmi" };
	const struct call *above = call->parent ? call_tree_call(p->tree, call->parent) : NULL;
	const char *comments[6];
	struct text ret = { 0 }, caller = { 0 }, times = { 0 };
	unsigned int nr = 0;

	if (call->kind == CALL_ORPHAN)
		comments[nr++] = "entry lost";
	if ((call->kind == CALL_UNCLOSED || call->kind == CALL_OPEN) && !call->inferred)
		comments[nr++] = "no exit";
	if (call->inferred && call->calls != 1) {
		text_printf(&times, "%" PRIu64 " calls", call->calls);
		comments[nr++] = text_str(&times);
	}
	if (call->level && (!above || above->level != call->level))
		comments[nr++] = levels[call->level];
	if (add_caller(p, call, above, &caller))
		comments[nr++] = text_str(&caller);
	if (call_text_return(p->text, call, &ret))
		comments[nr++] = text_str(&ret);
	for (unsigned int i = 0; i < nr; i++) {
		text_add(out, i ? ", " : " /* ");
		text_printable(out, comments[i], strlen(comments[i]));
	}
	text_add(out, nr ? " */" : "");
	text_fini(&ret);
	text_fini(&caller);
	text_fini(&times);
}

/* @braces: "{" what is in it follows, "}" it was above, ";" nothing is in it; @hidden: children that are not shown. */
static void add_text(struct graph_print *p, const struct call *call, unsigned int level, char brace, unsigned int hidden,
		     struct text *out)
{
	add_figures(p, call, level, out);
	text_pad(out, 2 * (size_t)level);
	text_clear(&p->name);
	if (call->kind == CALL_AWAY) {
		text_add(out, "(off the CPU");
		if (call_text_state(p->text, call, &p->name))
			text_printf(out, ": %s", text_str(&p->name));
		text_add(out, ")\n");
		return;
	}
	if (call->kind == CALL_EVENT) {
		call_text_event(p->text, call, &p->name);
		text_add(out, "/* ");
		text_printable(out, text_str(&p->name), p->name.len);
		text_add(out, " */\n");
		return;
	}
	text_add(&p->name, call_text_function(p->text, call_tree_function(p->tree, call->func)));
	if (brace == '}')
		text_add(out, "} /* ");
	text_printable(out, text_str(&p->name), p->name.len);
	if (brace == '}') {
		text_add(out, " */");
	} else {
		text_clear(&p->name);
		call_text_arguments(p->text, call, call_tree_function(p->tree, call->func), &p->name);
		text_char(out, '(');
		text_printable(out, text_str(&p->name), p->name.len);
		text_add(out, brace == ';' ? ");" : ") {");
	}
	if (hidden)
		text_printf(out, hidden == 1 ? " %u call }" : " %u calls }", hidden);
	add_comment(p, call, out);
	text_char(out, '\n');
}

static void add_row(struct graph_print *p, const struct call *call, unsigned int level, char brace, unsigned int hidden)
{
	if (p->options->json)
		add_json(p, call, level, &p->out->block);
	else
		add_text(p, call, level, brace, hidden, &p->out->block);
	p->result->calls++;
	p->result->inferred |= call->inferred;
	if (!p->failed && !p->out->closed && output_more(p->out, p->err))
		p->failed = -1;
}

/* Cells of a line before the name of a function. */
static size_t before_name(const struct graph_print *p)
{
	return TIME_CELLS + FIGURE_CELLS + (p->options->by_cpu ? TASK_CELLS : 0);
}

/* Who is about to speak. */
static void add_heading(struct graph_print *p, int64_t ts)
{
	struct text *out = &p->out->block;
	int cpu = trace_stream_info(p->trace, p->task->stream).cpu;

	if (p->options->json || p->options->by_cpu ||
	    (p->told_pid == p->task->pid && (p->task->pid || p->told_stream == p->task->stream)))
		return;
	text_add(out, p->told_pid == -2 ? "# " : "\n# ");
	if (*p->buffer) {
		text_printable(out, p->buffer, strlen(p->buffer));
		text_add(out, ": ");
	}
	if (p->task->pid) {
		const char *comm = trace_comm(p->trace, p->file, p->task->pid, ts);

		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%d\n", p->task->pid);
	} else {
		text_printf(out, "<idle>, CPU %d\n", cpu);
	}
	text_printf(out, "#%12s %3s %15s %13s %13s  function\n", "start", "CPU", "duration us", "self", "net");
	p->told_pid = p->task->pid;
	p->told_stream = p->task->stream;
}

/* --- trees ------------------------------------------------------------------------------- */

struct step {				/* a call whose children are being printed */
	uint32_t	 number;	/* CALL_NONE: the top */
	unsigned int	 first, next, nr;	/* in the list of children */
	bool		 rows;		/* some were printed */
};

struct children {
	uint32_t	*list;
	unsigned int	 nr, cap;
};

/* Append the children that are shown. */
static unsigned int list_children(const struct graph_print *p, uint32_t number, struct children *c)
{
	unsigned int first = c->nr;

	for (uint32_t n = call_tree_call(p->tree, number)->last; n; n = call_tree_call(p->tree, n)->before) {
		if (!is_shown(p, call_tree_call(p->tree, n), n))
			continue;
		mem_grow(&c->list, c->nr, &c->cap);
		c->list[c->nr++] = n;
	}
	for (unsigned int i = first, k = c->nr; i + 1 < k; i++) {
		uint32_t other = c->list[i];

		c->list[i] = c->list[--k];
		c->list[k] = other;
	}
	return c->nr - first;
}

static unsigned int count_calls(const struct graph_print *p, const struct call *call)
{
	unsigned int nr = 0;

	for (uint32_t n = call->last; n; n = call_tree_call(p->tree, n)->before)
		nr += call_is_call(call_tree_call(p->tree, n));
	return nr;
}

static void end_call(struct graph_print *p, const struct call *call, unsigned int level, bool begun)
{
	if (begun) {
		add_row(p, call, level, '}', 0);
		forget_begun(p, call);
	} else if (!p->options->json) {
		text_pad(&p->out->block, before_name(p) + 2 * (size_t)level);
		text_add(&p->out->block, "}\n");
	}
}

static void begin_call(struct graph_print *p, struct children *c, struct step *step, uint32_t number, unsigned int level,
		       bool begun)
{
	const struct call *call = call_tree_call(p->tree, number);
	bool deep = p->options->depth >= 0 && level + 1 >= p->options->depth;

	*step = (struct step){ .number = number, .first = c->nr, .next = c->nr };
	if (!deep)
		step->nr = list_children(p, number, c);
	step->rows = step->nr > 0 || begun;
	if (!begun)
		add_row(p, call, level, step->rows ? '{' : count_calls(p, call) ? ' ' : ';', step->rows ? 0 : count_calls(p, call));
}

/* A call and what is in it, which is shown at all. */
static void print_tree(struct graph_print *p, uint32_t number, unsigned int level)
{
	struct children c = { 0 };
	struct step *steps = NULL;
	unsigned int nr = 0, cap = 0;

	if (p->options->depth >= 0 && level >= p->options->depth)
		return;
	mem_grow(&steps, nr, &cap);
	begin_call(p, &c, &steps[nr++], number, level, was_begun(p, call_tree_call(p->tree, number)));
	while (nr && !p->out->closed && !p->failed) {
		struct step *step = &steps[nr - 1];

		if (step->next < step->first + step->nr) {
			uint32_t child = c.list[step->next++];

			mem_grow(&steps, nr, &cap);
			begin_call(p, &c, &steps[nr], child, level + nr, was_begun(p, call_tree_call(p->tree, child)));
			nr++;
			continue;
		}
		nr--;
		if (step->rows)
			end_call(p, call_tree_call(p->tree, step->number), level + nr,
				 was_begun(p, call_tree_call(p->tree, step->number)));
		c.nr = step->first;
	}
	free(steps);
	free(c.list);
}

static void print_root(struct graph_print *p, uint32_t number, unsigned int level)
{
	const struct call *call = call_tree_call(p->tree, number);

	p->shown[number] = SHOWN_UNKNOWN;
	mark(p, number);
	if (!is_shown(p, call, number))
		return;
	add_heading(p, call_text_start(p->text, call));
	print_tree(p, number, level);
}

/* --- what can be held ----------------------------------------------------------------------- */

struct root {
	int		 cpu;
	int64_t		 start;
	uint32_t	 number;
	const struct call_task *task;
};

static int by_cpu(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void print_by_cpu(struct graph_print *p)
{
	struct root *roots = NULL;
	unsigned int nr = 0, cap = 0;
	int cpu = -1;

	for (unsigned int i = 0; i < call_tree_nr_tasks(p->tree); i++) {
		const struct call_task *task = call_tree_task(p->tree, i);

		for (uint32_t n = task->last_root; n; n = call_tree_call(p->tree, n)->before) {
			const struct call *call = call_tree_call(p->tree, n);

			mem_grow(&roots, nr, &cap);
			roots[nr++] = (struct root){ call_text_cpu(p->text, call, false), call_text_start(p->text, call), n, task };
		}
	}
	qsort(roots, nr, sizeof(*roots), by_cpu);
	for (unsigned int i = 0; i < nr && !p->out->closed && !p->failed; i++) {
		p->task = roots[i].task;
		if (roots[i].cpu != cpu && !p->options->json)
			text_printf(&p->out->block, cpu == -1 ? "# CPU %d\n" : "\n# CPU %d\n", roots[i].cpu);
		cpu = roots[i].cpu;
		print_root(p, roots[i].number, 0);
	}
	free(roots);
}

static int by_first_record(const void *a, const void *b)
{
	const struct call_task *const *x = a, *const *y = b;

	return (*x)->first_key < (*y)->first_key ? -1 : (*x)->first_key > (*y)->first_key;
}

static void print_by_task(struct graph_print *p)
{
	unsigned int nr = call_tree_nr_tasks(p->tree), cap = 0, nr_roots;
	const struct call_task **tasks = mem_array(nr + 1, sizeof(*tasks));
	uint32_t *roots = NULL;

	for (unsigned int i = 0; i < nr; i++)
		tasks[i] = call_tree_task(p->tree, i);
	qsort(tasks, nr, sizeof(*tasks), by_first_record);
	for (unsigned int i = 0; i < nr; i++) {
		p->task = tasks[i];
		nr_roots = call_tree_children(p->tree, p->task, CALL_NONE, &roots, &cap);
		for (unsigned int k = 0; k < nr_roots && !p->out->closed && !p->failed; k++)
			print_root(p, roots[k], 0);
	}
	free(roots);
	free(tasks);
}

static struct graph_reader *open_reader(struct graph_print *p, const struct graph_types *types, unsigned int buffer)
{
	struct graph_reader_options options = {
		.scope = p->options->scope, .events = p->options->events,
		.switches = graph_clock_is_local(p->trace, p->file, buffer),
		.by_pid = p->options->pid > 0, .pid = p->options->pid,
	};

	return graph_reader_new(p->trace, types, p->file, buffer, &options);
}

/* False: it cannot be held. */
static bool feed(struct graph_reader *reader, struct call_tree *tree)
{
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	unsigned int nr;

	while ((nr = graph_reader_read(reader, records, BATCH)) && !call_tree_is_full(tree))
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(tree, &records[i]);
	free(records);
	return !call_tree_is_full(tree);
}

static bool print_held(struct graph_print *p, const struct graph_types *types, unsigned int buffer, bool local)
{
	struct call_tree_options options = { .local_clock = local, .max_calls = p->options->max_calls ?: MAX_CALLS };
	struct graph_reader *reader = open_reader(p, types, buffer);
	struct call_tree *tree = call_tree_new(&options);
	bool held = feed(reader, tree);

	if (held) {
		call_tree_end(tree);
		call_tree_figures(tree);
		p->tree = tree;
		need_marks(p, call_tree_nr(tree) + 1);
		if (p->options->by_cpu)
			print_by_cpu(p);
		else
			print_by_task(p);
		p->result->has_away |= call_tree_has_away(tree);
		p->result->damaged += graph_reader_damaged(reader);
	}
	call_tree_free(tree);
	graph_reader_free(reader);
	return held;
}

/* --- what cannot ------------------------------------------------------------------------------ */

/* Calls above what is printed that are not finished: only their names are known. */
static void print_above(struct graph_print *p, const uint32_t *above, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct call *call = call_tree_call(p->tree, above[i]);

		if (was_begun(p, call))
			continue;
		if (!p->options->json && (p->options->depth < 0 || i < p->options->depth)) {
			text_pad(&p->out->block, before_name(p) + 2 * (size_t)i);
			text_clear(&p->name);
			text_add(&p->name, call_text_function(p->text, call_tree_function(p->tree, call->func)));
			text_printable(&p->out->block, text_str(&p->name), p->name.len);
			text_add(&p->out->block, "() { /* figures at its end */\n");
		}
		mem_grow(&p->begun, p->nr_begun, &p->cap_begun);
		p->begun[p->nr_begun++] = call->entry;
	}
}

static void see_subtree(void *arg, const struct call_tree *tree, const struct call_task *task, const uint32_t *above,
			unsigned int nr_above, uint32_t number)
{
	struct graph_print *p = arg;
	const struct call *call = call_tree_call(tree, number);

	if (call->kind == CALL_GROUP || p->out->closed || p->failed)
		return;
	p->tree = tree;
	p->task = task;
	need_marks(p, call_tree_limit(tree));
	p->shown[number] = SHOWN_UNKNOWN;
	mark(p, number);
	if (!is_shown(p, call, number))
		return;
	add_heading(p, call_text_start(p->text, call));
	print_above(p, above, nr_above);
	print_tree(p, number, nr_above);
}

static void print_streaming(struct graph_print *p, const struct graph_types *types, unsigned int buffer, bool local)
{
	const struct call_visitor visitor = { .subtree = see_subtree, .arg = p };
	struct call_tree_options options = { .local_clock = local, .max_calls = p->options->max_calls ?: MAX_CALLS,
					     .visitor = &visitor };
	struct graph_reader *reader = open_reader(p, types, buffer);
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	struct call_tree *tree = call_tree_new(&options);
	unsigned int nr;

	while (!p->out->closed && !p->failed && (nr = graph_reader_read(reader, records, BATCH)))
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(tree, &records[i]);
	call_tree_end(tree);
	p->result->has_away |= call_tree_has_away(tree);
	p->result->damaged += graph_reader_damaged(reader);
	call_tree_free(tree);
	graph_reader_free(reader);
	free(records);
}

int graph_print(struct trace *trace, unsigned int file, const struct graph_print_options *options, struct output *out,
		struct graph_print_result *result, struct ft_error *err)
{
	struct graph_print p = { .trace = trace, .file = file, .options = options, .out = out, .result = result,
				 .told_pid = -2, .err = err };
	struct graph_types *types = graph_types_new(trace, file);
	unsigned int nr = trace_file_nr_buffers(trace_file_of(trace, file));

	*result = (struct graph_print_result){ 0 };
	for (unsigned int i = 0; types && i < nr && !out->closed && !p.failed; i++) {
		bool local = graph_clock_is_local(trace, file, i);

		p.buffer = trace_file_buffer(trace_file_of(trace, file), i)->name;
		p.text = call_text_new(trace, file, i);
		p.told_pid = p.told_pid == -2 ? -2 : -1;
		if (!print_held(&p, types, i, local))
			print_streaming(&p, types, i, local);
		call_text_free(p.text);
	}
	graph_types_free(types);
	text_fini(&p.name);
	free(p.shown);
	free(p.begun);
	return p.failed;
}
