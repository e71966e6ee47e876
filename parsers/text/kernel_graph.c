/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/kernel_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/kernel_args.h"
#include "parsers/text/kernel_text_private.h"
#include "src/base/memory.h"

#define RETFUNC_DEPTH	50		/* nested functions that the kernel tracks per CPU */
#define PROC_WIDTH	14
#define INDENT		2
#define MAX_DEPTH	1000		/* the kernel's shadow stack is far smaller */

struct graph_cpu {			/* the kernel's state of a CPU */
	int		last_pid;	/* -1 = none */
	int		depth;
	int		depth_irq;	/* -1 = not in a hidden interrupt */
	uint64_t	enter_funcs[RETFUNC_DEPTH];
};

struct graph_type {			/* fields of one of the three types of records */
	const struct event_type	*type;
	const struct event_field *func, *depth, *args, *retaddr;	/* entries */
	const struct event_field *calltime, *rettime, *overrun, *retval; /* exits */
};

struct kernel_graph {
	struct kernel_text	*kt;
	struct kernel_graph_options options;
	int			cpu_width;
	bool			equals;		/* return values are shown as "= V" before 6.13,
						 * as "ret=V" since */
	uint64_t		irq_start, irq_end;	/* code range of interrupt entry
							 * functions */
	struct graph_type	entry, retaddr_entry, exit;
	unsigned int		nr_cpus;
	struct graph_cpu	*cpus;		/* owned, [nr_cpus], by number */
};

/* One line being made. */
struct graph_line {
	struct kernel_graph	*graph;
	const struct kernel_graph_record *record;
	struct graph_cpu	*cpu;
	struct text		*out;
};

/* --- opening ------------------------------------------------------------- */

static void find_type(struct graph_type *t, struct event_types *types, const char *name)
{
	t->type = event_types_by_name(types, "ftrace", name);
	if (!t->type)
		return;
	t->func = event_type_field(t->type, "func");
	t->depth = event_type_field(t->type, "depth");
	t->args = event_type_field(t->type, "args");
	t->retaddr = event_type_field(t->type, "retaddr");
	t->calltime = event_type_field(t->type, "calltime");
	t->rettime = event_type_field(t->type, "rettime");
	t->overrun = event_type_field(t->type, "overrun");
	t->retval = event_type_field(t->type, "retval");
	if (!t->func || !t->depth)
		t->type = NULL;
}

static int digits_of(unsigned int n)
{
	int digits = 1;

	for (; n >= 10; n /= 10)
		digits++;
	return digits;
}

struct kernel_graph *kernel_graph_new(struct kernel_text *kt, struct event_types *types,
				      const struct kallsyms *syms, unsigned int nr_cpus,
				      const struct kernel_graph_options *options)
{
	struct kernel_graph *graph = mem_alloc(sizeof(*graph));

	graph->kt = kt;
	graph->options = *options;
	graph->equals = kt->release && kt->release < (6u << 16 | 13);
	graph->cpu_width = digits_of(nr_cpus ? nr_cpus - 1 : 0);
	find_type(&graph->entry, types, "funcgraph_entry");
	find_type(&graph->retaddr_entry, types, "fgraph_retaddr_entry");
	find_type(&graph->exit, types, "funcgraph_exit");
	if (!graph->exit.calltime || !graph->exit.rettime)
		graph->exit.type = NULL;
	kallsyms_address(syms, "__irqentry_text_start", &graph->irq_start);
	kallsyms_address(syms, "__irqentry_text_end", &graph->irq_end);
	return graph;
}

void kernel_graph_free(struct kernel_graph *graph)
{
	if (!graph)
		return;
	free(graph->cpus);
	free(graph);
}

static struct graph_cpu *get_cpu(struct kernel_graph *graph, int cpu)
{
	unsigned int nr = cpu < 0 ? 1 : (unsigned int)cpu + 1;

	if (nr > graph->nr_cpus) {
		graph->cpus = mem_resize(graph->cpus, nr, sizeof(*graph->cpus));
		for (; graph->nr_cpus < nr; graph->nr_cpus++)
			graph->cpus[graph->nr_cpus] = (struct graph_cpu){ .last_pid = -1,
				.depth_irq = -1 };
	}
	return &graph->cpus[nr - 1];
}

/* --- columns ------------------------------------------------------------- */

static uint64_t field_of(const struct kernel_graph *graph, const struct event_field *f,
			 const struct print_record *rec)
{
	return f ? field_u64(f, rec->data, rec->size, graph->kt->swap) : 0;
}

/* Like %ps: with the module. */
static void add_function(const struct graph_line *l, uint64_t address)
{
	kernel_text_function(l->graph->kt, address, l->out);
}

static void add_cpu(const struct graph_line *l)
{
	text_printf(l->out, " %*d) ", l->graph->cpu_width, l->record->rec.cpu);
}

/* "  comm-pid    ", centred */
static void add_proc(const struct graph_line *l, int pid)
{
	const char *comm = kernel_text_comm(l->graph->kt, pid);
	struct text t = { 0 };
	size_t spaces;

	text_bytes(&t, comm, strnlen(comm, 7));
	text_printf(&t, "-%d", pid);
	spaces = t.len < PROC_WIDTH ? PROC_WIDTH - t.len : 0;
	text_pad(l->out, spaces / 2);
	text_bytes(l->out, text_str(&t), t.len);
	text_pad(l->out, spaces - spaces / 2);
	text_fini(&t);
}

static void add_columns(const struct graph_line *l)
{
	const struct kernel_graph_options *o = &l->graph->options;
	uint64_t ts = l->record->rec.ts;

	if (!o->context)
		return;
	if (o->abstime)
		text_printf(l->out, "%5" PRIu64 ".%06" PRIu64 " |  ", ts / 1000000000,
			    ts % 1000000000 / 1000);
	if (o->cpu)
		add_cpu(l);
	if (o->proc) {
		add_proc(l, l->record->pid);
		text_add(l->out, " | ");
	}
	if (o->latency)
		text_printf(l->out, " %s | ", l->record->flags ? l->record->flags : "");
}

/* A line for a switch to another task on the CPU. */
static void add_switch(const struct graph_line *l)
{
	int last = l->cpu->last_pid;

	if (last == l->record->pid)
		return;
	l->cpu->last_pid = l->record->pid;
	if (last == -1)
		return;
	text_add(l->out, " ------------------------------------------\n");
	add_cpu(l);
	add_proc(l, last);
	text_add(l->out, " => ");
	add_proc(l, l->record->pid);
	text_add(l->out, "\n ------------------------------------------\n\n");
}

static bool shows_duration(const struct graph_line *l)
{
	return l->graph->options.duration && l->graph->options.context;
}

/* 7 digits at most: "0.245", "12345.67", "1234567" */
static void add_duration(const struct graph_line *l, uint64_t ns)
{
	size_t begin, len;

	if (!shows_duration(l))
		return;
	text_char(l->out, l->graph->options.overhead ? text_duration_mark(ns) : ' ');
	text_char(l->out, ' ');
	begin = l->out->len;
	text_printf(l->out, "%" PRIu64, ns / 1000);
	len = l->out->len - begin;
	if (len < 7) {
		size_t decimals = 7 - len < 3 ? 7 - len : 3;

		text_printf(l->out, ".%03u", (unsigned int)(ns % 1000));
		l->out->len -= 3 - decimals;
	}
	len = l->out->len - begin;
	text_add(l->out, " us ");
	if (len < 8)
		text_pad(l->out, 8 - len);
	text_add(l->out, "|  ");
}

static void add_no_duration(const struct graph_line *l)
{
	if (shows_duration(l))
		text_add(l->out, "              |  ");
}

static bool is_irq(const struct kernel_graph *graph, uint64_t func)
{
	return graph->irq_end > graph->irq_start && func >= graph->irq_start &&
	       func < graph->irq_end;
}

/* The arrow at the begin or end of an interrupt. */
static void add_irq(const struct graph_line *l, uint64_t func, const char *arrow)
{
	if (!is_irq(l->graph, func))
		return;
	add_columns(l);
	if (shows_duration(l))
		text_add(l->out, "  ");
	text_add(l->out, arrow);
	if (shows_duration(l))
		text_add(l->out, " |");
	text_char(l->out, '\n');
}

/* --- arguments, return values --------------------------------------------- */

static bool has_arguments(const struct graph_line *l, const struct graph_type *t)
{
	return l->graph->options.args && t->args &&
	       l->record->rec.size >=
		       t->args->offset + KERNEL_ARGS_MAX * (uint32_t)l->graph->kt->long_size;
}

static void add_arguments(const struct graph_line *l, const struct graph_type *t, uint64_t func)
{
	const struct print_record *rec = &l->record->rec;

	if (has_arguments(l, t))
		kernel_args_add(l->graph->kt, func, rec->data + t->args->offset,
				rec->size - t->args->offset, l->out);
	else
		text_add(l->out, "()");
}

static void add_caller(const struct graph_line *l)
{
	uint64_t address = field_of(l->graph, l->graph->retaddr_entry.retaddr, &l->record->rec);

	text_add(l->out, "<-");
	if (address)
		kernel_text_symbol(l->graph->kt, address, true, l->out);
	else
		text_char(l->out, '0');
}

/* " ret=0x12", " ret=-2"; error codes also if they are 32 bits wide. */
static void add_retval(const struct graph_line *l, const struct print_record *exit)
{
	const struct kernel_graph *graph = l->graph;
	uint64_t retval = field_of(graph, graph->exit.retval, exit);
	int64_t error = graph->kt->long_size == 4 || retval >> 32 == 0 ? (int32_t)retval :
									 (int64_t)retval;

	text_add(l->out, graph->equals ? " = " : " ret=");
	if (!graph->options.retval_hex && error < 0 && error >= -4095)
		text_printf(l->out, "%" PRId64, error);
	else if (graph->equals && !graph->options.retval_hex && !retval)
		text_add(l->out, "0x0");
	else
		text_printf(l->out, "0x%" PRIx64, retval);
}

static bool shows_retval(const struct graph_line *l)
{
	return l->graph->options.retval && l->graph->exit.retval;
}

/* --- the lines ------------------------------------------------------------- */

/* Depths of a trace may be any; they wrap around, as in the kernel. */
static int depth_plus(int depth, int more)
{
	return (int)((unsigned int)depth + (unsigned int)more);
}

static void add_indent(const struct graph_line *l, int depth)
{
	if (depth > 0)
		text_pad(l->out, (size_t)(depth < MAX_DEPTH ? depth : MAX_DEPTH) * INDENT);
}

static bool is_leaf(const struct graph_line *l, const struct graph_type *t,
		    const struct print_record *next, int next_pid)
{
	return next && l->graph->exit.type && next->type == l->graph->exit.type &&
	       next_pid == l->record->pid &&
	       field_of(l->graph, l->graph->exit.func, next) ==
		       field_of(l->graph, t->func, &l->record->rec);
}

static void remember_call(struct graph_cpu *cpu, int depth, uint64_t func)
{
	if (depth >= 0 && depth < RETFUNC_DEPTH)
		cpu->enter_funcs[depth] = func;
}

static void add_leaf(const struct graph_line *l, const struct graph_type *t,
		     const struct print_record *exit)
{
	uint64_t func = field_of(l->graph, t->func, &l->record->rec);
	int depth = (int)field_of(l->graph, t->depth, &l->record->rec);
	bool caller = l->graph->options.retaddr && t->retaddr, value = shows_retval(l);

	l->cpu->depth = depth_plus(depth, -1);
	remember_call(l->cpu, depth, 0);
	add_duration(l, field_of(l->graph, l->graph->exit.rettime, exit) -
				field_of(l->graph, l->graph->exit.calltime, exit));
	add_indent(l, depth);
	add_function(l, func);
	add_arguments(l, t, func);
	text_char(l->out, ';');
	if (caller || value)
		text_add(l->out, " /*");
	if (caller) {
		text_char(l->out, ' ');
		add_caller(l);
	}
	if (value)
		add_retval(l, exit);
	text_add(l->out, caller || value ? " */\n" : "\n");
	add_irq(l, func, "<==========");
}

static void add_nested(const struct graph_line *l, const struct graph_type *t)
{
	uint64_t func = field_of(l->graph, t->func, &l->record->rec);
	int depth = (int)field_of(l->graph, t->depth, &l->record->rec);

	l->cpu->depth = depth;
	remember_call(l->cpu, depth, func);
	add_no_duration(l);
	add_indent(l, depth);
	add_function(l, func);
	add_arguments(l, t, func);
	text_add(l->out, " {");
	if (l->graph->options.retaddr && t->retaddr) {
		text_add(l->out, " /* ");
		add_caller(l);
		text_add(l->out, " */");
	}
	text_char(l->out, '\n');
}

/* Is this in an interrupt, and are interrupts hidden? */
static bool hides_entry(const struct graph_line *l, uint64_t func, int depth)
{
	if (l->graph->options.irqs)
		return false;
	if (l->cpu->depth_irq >= 0)
		return true;
	if (!is_irq(l->graph, func))
		return false;
	l->cpu->depth_irq = depth;
	return true;
}

static bool hides_exit(const struct graph_line *l, int depth)
{
	if (l->graph->options.irqs || l->cpu->depth_irq == -1)
		return false;
	if (l->cpu->depth_irq >= depth)
		l->cpu->depth_irq = -1;
	return true;
}

static enum kernel_graph_way add_entry(const struct graph_line *l, const struct graph_type *t,
				       const struct print_record *next, int next_pid)
{
	uint64_t func = field_of(l->graph, t->func, &l->record->rec);

	if (hides_entry(l, func, (int)field_of(l->graph, t->depth, &l->record->rec)))
		return KERNEL_GRAPH_DONE;
	add_switch(l);
	add_irq(l, func, "==========>");
	add_columns(l);
	if (is_leaf(l, t, next, next_pid)) {
		add_leaf(l, t, next);
		return KERNEL_GRAPH_MERGED;
	}
	add_nested(l, t);
	return KERNEL_GRAPH_DONE;
}

static void add_exit(const struct graph_line *l)
{
	const struct kernel_graph *graph = l->graph;
	const struct print_record *rec = &l->record->rec;
	uint64_t func = field_of(graph, graph->exit.func, rec);
	int depth = (int)field_of(graph, graph->exit.depth, rec);
	bool matches = true;

	if (hides_exit(l, depth))
		return;
	l->cpu->depth = depth_plus(depth, -1);
	if (depth >= 0 && depth < RETFUNC_DEPTH) {
		matches = l->cpu->enter_funcs[depth] == func;
		l->cpu->enter_funcs[depth] = 0;
	}
	add_switch(l);
	add_columns(l);
	add_duration(l, field_of(graph, graph->exit.rettime, rec) -
				field_of(graph, graph->exit.calltime, rec));
	add_indent(l, depth);
	text_char(l->out, '}');
	if (!matches || graph->options.tail || shows_retval(l)) {
		text_add(l->out, " /* ");
		add_function(l, func);
		if (shows_retval(l))
			add_retval(l, rec);
		text_add(l->out, " */");
	}
	text_char(l->out, '\n');
	if (graph->options.overrun)
		text_printf(l->out, " (Overruns: %u)\n",
			    (unsigned int)field_of(graph, graph->exit.overrun, rec));
	add_irq(l, func, "<==========");
}

static bool is_own_printer(const struct event_type *type)
{
	return type && !strcmp(type->system, "ftrace") &&
	       (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "function"));
}

enum kernel_graph_way kernel_graph_add(struct kernel_graph *graph,
				       const struct kernel_graph_record *record,
				       const struct print_record *next, int next_pid,
				       struct text *out)
{
	const struct event_type *type = record->rec.type;
	struct graph_line l = {
		.graph = graph, .record = record, .cpu = get_cpu(graph, record->rec.cpu), .out = out
	};

	if (type && type == graph->entry.type)
		return add_entry(&l, &graph->entry, next, next_pid);
	if (type && type == graph->retaddr_entry.type)
		return add_entry(&l, &graph->retaddr_entry, next, next_pid);
	if (type && type == graph->exit.type) {
		add_exit(&l);
		return KERNEL_GRAPH_DONE;
	}
	if (is_own_printer(type))
		return KERNEL_GRAPH_PLAIN;
	add_switch(&l);
	add_columns(&l);
	add_no_duration(&l);
	if (l.cpu->depth > 0)
		add_indent(&l, depth_plus(l.cpu->depth, 1));
	text_add(out, "/* ");
	return KERNEL_GRAPH_COMMENT;
}

void kernel_graph_end_comment(struct text *out, size_t begin)
{
	if (out->len > begin && out->data[out->len - 1] == '\n')
		out->len--;
	text_add(out, " */\n");
}

void kernel_graph_header(const struct kernel_graph_options *o, struct text *out)
{
	if (!o->context)
		return;
	text_char(out, '#');
	text_add(out, o->abstime ? "     TIME       " : "");
	text_add(out, o->cpu ? " CPU" : "");
	text_add(out, o->proc ? "  TASK/PID       " : "");
	text_add(out, o->latency ? "||||   " : "");
	text_add(out, o->duration ? "  DURATION   " : "");
	text_add(out, "               FUNCTION CALLS\n#");
	text_add(out, o->abstime ? "      |         " : "");
	text_add(out, o->cpu ? " |  " : "");
	text_add(out, o->proc ? "   |    |        " : "");
	text_add(out, o->latency ? "||||   " : "");
	text_add(out, o->duration ? "   |   |      " : "");
	text_add(out, "               |   |   |   |\n");
}
