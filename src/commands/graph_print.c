/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/graph_print_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"

#define MAX_CALLS	600000u		/* calls in memory at a time: 60 MB */
#define BATCH		1024u
#define FIGURE_CELLS	50	/* after the time, before the function */

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

/*
 * If only some calls are wanted, times off the CPU and events are shown with the call they are in.
 */
static bool stands_alone(const struct graph_print *p, const struct call *call)
{
	return call_is_call(call) || !p->options->scope;
}

/*
 * Decides whether a call is shown, for itself or for what is in it. Leaves first, once for each
 * tree.
 */
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
			for (uint32_t child = call->last; child;
			     child = call_tree_call(p->tree, child)->before) {
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

/* Index of the call's entry in `begun`; INDEX_MAP_NONE. */
static uint32_t find_begun(const struct graph_print *p, const struct call *call)
{
	if (call_is_call(call) && call->entry != TRACE_REF_NONE)
		index_map_each (&p->begun_map, index_map_hash(call->entry), i)
			if (p->begun[i] == call->entry)
				return i;
	return INDEX_MAP_NONE;
}

static bool was_begun(const struct graph_print *p, const struct call *call)
{
	return find_begun(p, call) != INDEX_MAP_NONE;
}

static void add_begun(struct graph_print *p, const struct call *call)
{
	mem_grow(&p->begun, p->nr_begun, &p->cap_begun);
	p->begun[p->nr_begun] = call->entry;
	index_map_add(&p->begun_map, index_map_hash(call->entry), p->nr_begun++);
}

static void forget_begun(struct graph_print *p, const struct call *call)
{
	p->begun[find_begun(p, call)] = TRACE_REF_NONE;
	if (++p->nr_ended < p->nr_begun)
		return;
	p->nr_begun = p->nr_ended = 0;
	index_map_clear(&p->begun_map);
}

static bool is_shown(const struct graph_print *p, const struct call *call, uint32_t number)
{
	if (call->kind == CALL_GROUP)
		return false;
	if (was_begun(p, call))
		return true;
	if (p->picked)
		return p->shown[number] == SHOWN_YES;
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

static void print_full_block(struct graph_print *p)
{
	if (!p->failed && !p->out->closed && output_more(p->out, p->err))
		p->failed = -1;
}

static void add_row(struct graph_print *p, const struct call *call, unsigned int level, char brace,
		    unsigned int hidden)
{
	if (p->options->format == FORMAT_TEXT)
		graph_print_text(p, call, level, brace, hidden, &p->out->block);
	else
		graph_print_data(p, call, level, &p->out->block);
	p->result->calls++;
	p->result->inferred |= call->inferred;
	p->result->gap_cut |= call_text_gap_cut(p->text, call) != 0;
	p->rows++;
	print_full_block(p);
}

/* --head: it has as many rows as it may have; what has begun still ends. */
static bool is_full(const struct graph_print *p)
{
	return p->options->picker && p->rows >= p->options->picker->most;
}

/* Cells of a line before the name of a function. */
static size_t before_name(const struct graph_print *p)
{
	return GRAPH_TIME_CELLS + FIGURE_CELLS + (p->options->by_cpu ? GRAPH_TASK_CELLS : 0);
}

/* Who is about to speak. */
static void add_heading(struct graph_print *p, int64_t ts)
{
	struct text *out = &p->out->block;
	int cpu = trace_stream_info(p->trace, p->task->stream).cpu;

	if (p->options->format != FORMAT_TEXT || p->options->by_cpu ||
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
	text_printf(out, "#%12s %3s %15s %13s %13s  function\n", "start", "CPU", "duration us",
		    p->has_net ? "self" : GRAPH_SELF_AND_AWAY, "net");
	p->told_pid = p->task->pid;
	p->told_stream = p->task->stream;
}

/* --- trees ------------------------------------------------------------------------------- */

struct print_step {			/* a call whose children are being printed */
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

	for (uint32_t n = call_tree_call(p->tree, number)->last; n;
	     n = call_tree_call(p->tree, n)->before) {
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

/* --- what the picker wants of it ------------------------------------------------------------ */

struct visit {
	uint32_t	number, parent;		/* a call; index of the visit of the one it is in */
	unsigned int	level;
	bool		shown;
};

struct visits {
	struct visit	*list;			/* owned */
	uint32_t	 nr, cap;
};

static void visit(struct visits *v, uint32_t number, uint32_t parent, unsigned int level)
{
	mem_grow(&v->list, v->nr, &v->cap);
	v->list[v->nr++] = (struct visit){ .number = number, .parent = parent, .level = level };
}

/*
 * Does the picker select the row, by its printed line? Not called for rows that are shown only for
 * rows below them; rows shown only with their call are not counted.
 */
static bool picks_row(struct graph_print *p, const struct visit *v, unsigned int nr_children)
{
	const struct call *call = call_tree_call(p->tree, v->number);
	unsigned int hidden = nr_children ? 0 : count_calls(p, call);
	struct text line = { 0 };
	bool wanted;

	if (!is_wanted(p, call) || (!stands_alone(p, call) && !p->options->picker->greps))
		return false;
	p->result->calls++;
	p->result->inferred |= call->inferred;
	p->result->gap_cut |= call_text_gap_cut(p->text, call) != 0;
	if (p->options->picker->greps && p->options->format != FORMAT_TEXT)
		graph_print_data(p, call, v->level, &line);
	else if (p->options->picker->greps)
		graph_print_text(p, call, v->level,
				 was_begun(p, call) ? '}' :
				 nr_children        ? '{' :
				 hidden             ? ' ' :
						      ';',
				 hidden, &line);
	wanted = row_picker_wants(p->options->picker, text_str(&line), line.len);
	text_fini(&line);
	return wanted;
}

/*
 * Restrict the tree to rows that the picker selects, and the calls around them. False: prints
 * nothing.
 */
static bool pick(struct graph_print *p, uint32_t number, unsigned int level)
{
	int64_t depth = p->options->depth;
	struct children c = { 0 };
	struct visits v = { 0 };
	bool any;

	if (depth >= 0 && level >= depth)
		return false;
	visit(&v, number, UINT32_MAX, level);
	for (uint32_t i = 0; i < v.nr; i++) {
		unsigned int below = v.list[i].level + 1, nr = 0;

		c.nr = 0;
		if (depth < 0 || below < depth)
			nr = list_children(p, v.list[i].number, &c);
		for (unsigned int k = 0; k < nr; k++)
			visit(&v, c.list[k], i, below);
		v.list[i].shown = picks_row(p, &v.list[i], nr);
	}
	for (uint32_t i = v.nr; i-- > 0;) {
		p->shown[v.list[i].number] = v.list[i].shown ? SHOWN_YES : SHOWN_NO;
		if (v.list[i].shown && i)
			v.list[v.list[i].parent].shown = true;
	}
	any = v.list[0].shown;
	free(v.list);
	free(c.list);
	return any && !p->options->picker->count;
}

/* Decides which rows of a tree are shown. False: none. */
static bool choose(struct graph_print *p, uint32_t number, unsigned int level)
{
	const struct row_picker *picker = p->options->picker;
	bool any;

	p->picked = false;	/* at first all wanted rows are shown */
	p->shown[number] = SHOWN_UNKNOWN;
	mark(p, number);
	if (!is_shown(p, call_tree_call(p->tree, number), number) ||
	    (is_full(p) && !was_begun(p, call_tree_call(p->tree, number))))
		return false;
	if (!picker || (!picker->greps && !picker->count))
		return true;
	any = pick(p, number, level);
	p->picked = true;
	/* a call whose first line was printed also gets its end */
	return any || (was_begun(p, call_tree_call(p->tree, number)) && !picker->count);
}

/* --- trees, row by row ------------------------------------------------------------------------ */

static void end_call(struct graph_print *p, const struct call *call, unsigned int level, bool begun)
{
	if (begun) {
		add_row(p, call, level, '}', 0);
		forget_begun(p, call);
	} else if (p->options->format == FORMAT_TEXT) {
		text_pad(&p->out->block, before_name(p));
		graph_print_indent(level, &p->out->block);
		text_add(&p->out->block, "}\n");
		print_full_block(p);
	}
}

static void begin_call(struct graph_print *p, struct children *c, struct print_step *step,
		       uint32_t number, unsigned int level, bool begun)
{
	const struct call *call = call_tree_call(p->tree, number);
	bool deep = p->options->depth >= 0 && level + 1 >= p->options->depth;

	*step = (struct print_step){ .number = number, .first = c->nr, .next = c->nr };
	if (!deep)
		step->nr = list_children(p, number, c);
	step->rows = step->nr > 0 || begun;
	if (!begun)
		add_row(p, call, level,
			step->rows           ? '{' :
			count_calls(p, call) ? ' ' :
					       ';',
			step->rows ? 0 : count_calls(p, call));
}

/* A call and what is in it, which is shown at all. */
static void print_tree(struct graph_print *p, uint32_t number, unsigned int level)
{
	struct children c = { 0 };
	struct print_step *steps = NULL;
	unsigned int nr = 0, cap = 0;

	if (p->options->depth >= 0 && level >= p->options->depth)
		return;
	mem_grow(&steps, nr, &cap);
	begin_call(p, &c, &steps[nr++], number, level,
		   was_begun(p, call_tree_call(p->tree, number)));
	while (nr && !p->out->closed && !p->failed) {
		struct print_step *step = &steps[nr - 1];

		if (step->next < step->first + step->nr && !is_full(p)) {
			uint32_t child = c.list[step->next++];

			mem_grow(&steps, nr, &cap);
			begin_call(p, &c, &steps[nr], child, level + nr,
				   was_begun(p, call_tree_call(p->tree, child)));
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

	if (!choose(p, number, level))
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
			roots[nr++] = (struct root){ call_text_cpu(p->text, call, false),
						     call_text_start(p->text, call), n, task };
		}
	}
	if (nr)
		qsort(roots, nr, sizeof(*roots), by_cpu);
	for (unsigned int i = 0; i < nr && !p->out->closed && !p->failed; i++) {
		p->task = roots[i].task;
		if (roots[i].cpu != cpu && p->options->format == FORMAT_TEXT &&
		    !(p->options->picker && p->options->picker->count))
			text_printf(&p->out->block, cpu == -1 ? "# CPU %d\n" : "\n# CPU %d\n",
				    roots[i].cpu);
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

static struct graph_reader *open_reader(struct graph_print *p, const struct graph_types *types,
					unsigned int buffer)
{
	struct graph_reader_options options = {
		.scope = p->options->scope, .slices = true, .events = p->options->events,
		.switches = graph_clock_is_local(p->trace, p->file, buffer),
		.by_pid = p->options->pid > 0, .pid = p->options->pid,
	};

	return graph_reader_new(p->trace, types, p->file, buffer, &options);
}

/* --- what cannot ------------------------------------------------------------------------------ */

/* Calls above what is printed that are not finished: only their names are known. */
static void print_above(struct graph_print *p, const uint32_t *above, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct call *call = call_tree_call(p->tree, above[i]);

		if (was_begun(p, call))
			continue;
		if (p->options->format == FORMAT_TEXT &&
		    (p->options->depth < 0 || i < p->options->depth)) {
			text_pad(&p->out->block, before_name(p));
			graph_print_indent(i, &p->out->block);
			text_clear(&p->name);
			text_add(&p->name,
				 call_text_function(p->text,
						    call_tree_function(p->tree, call->func)));
			text_printable(&p->out->block, text_str(&p->name), p->name.len);
			text_printf(&p->out->block, "%s { /* figures at its end */\n",
				    call->slice ? "" : "()");
			print_full_block(p);
		}
		add_begun(p, call);
	}
}

static void see_subtree(void *arg, const struct call_tree *tree, const struct call_task *task,
			const uint32_t *above, unsigned int nr_above, uint32_t number)
{
	struct graph_print *p = arg;
	const struct call *call = call_tree_call(tree, number);

	if (call->kind == CALL_GROUP || p->out->closed || p->failed)
		return;
	p->tree = tree;
	p->task = task;
	need_marks(p, call_tree_limit(tree));
	if (!choose(p, number, nr_above))
		return;
	add_heading(p, call_text_start(p->text, call));
	print_above(p, above, nr_above);
	print_tree(p, number, nr_above);
}

/* --- a buffer --------------------------------------------------------------------------------- */

static void print_whole(struct graph_print *p, struct call_tree *tree)
{
	call_tree_figures(tree);
	p->tree = tree;
	need_marks(p, call_tree_nr(tree) + 1);
	if (p->options->by_cpu)
		print_by_cpu(p);
	else
		print_by_task(p);
}

/*
 * @held: hold all calls, so that trees are printed by CPU or by task; else print each tree as soon
 * as it ends.  False: there are too many to hold.
 */
static bool print_buffer(struct graph_print *p, const struct graph_types *types,
			 unsigned int buffer, bool held)
{
	const struct call_visitor visitor = { .subtree = see_subtree, .arg = p };
	struct call_tree_options options = { .local_clock = graph_clock_is_local(p->trace, p->file,
										 buffer),
					     .max_calls = p->options->max_calls ?: MAX_CALLS,
					     .visitor = held ? NULL : &visitor };
	struct graph_reader *reader = open_reader(p, types, buffer);
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	struct call_tree *tree = call_tree_new(&options);
	bool whole;
	unsigned int nr;

	p->has_net = graph_tells_away(p->trace, p->file, buffer);
	while (!p->out->closed && !p->failed && !call_tree_is_full(tree) &&
	       (nr = graph_reader_read(reader, records, BATCH)))
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(tree, &records[i]);
	whole = !call_tree_is_full(tree);
	if (whole) {
		call_tree_end(tree);
		if (held)
			print_whole(p, tree);
		p->result->has_away |= p->has_net;
		p->result->has_irqs |= call_tree_has_irqs(tree);
		p->result->damaged += graph_reader_damaged(reader);
	}
	call_tree_free(tree);
	graph_reader_free(reader);
	free(records);
	return whole;
}

int graph_print(struct trace *trace, unsigned int file, const struct graph_print_options *options,
		struct output *out, struct graph_print_result *result, struct ft_error *err)
{
	struct graph_print p = { .trace = trace, .file = file, .options = options, .out = out,
				 .result = result,
				 .told_pid = -2, .err = err };
	struct graph_types *types = graph_types_new(trace, file);
	unsigned int nr = source_nr_buffers(trace_file_of(trace, file));

	*result = (struct graph_print_result){ 0 };
	for (unsigned int i = 0; types && i < nr && !out->closed && !p.failed; i++) {
		p.buffer = source_buffer(trace_file_of(trace, file), i)->name;
		p.text = call_text_new(trace, file, i);
		p.told_pid = p.told_pid == -2 ? -2 : -1;
		if (!print_buffer(&p, types, i, true))
			print_buffer(&p, types, i, false);
		call_text_free(p.text);
	}
	graph_types_free(types);
	text_fini(&p.name);
	free(p.shown);
	free(p.begun);
	index_map_fini(&p.begun_map);
	return p.failed;
}
