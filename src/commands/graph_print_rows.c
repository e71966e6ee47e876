/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_print_rows - a call, or what happened in it, as a line or as an object. */
#include "src/commands/graph_print_private.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/json_out.h"

#define INDENTED_LEVELS	100u		/* the kernel's own traces have some 50 */

static const char *const kind_names[] = { "unclosed", "call",  "orphan", "unclosed",
					  "off_cpu",  "event", "" };

static const char *kind_name(const struct call *call)
{
	return call->inferred ? "inferred" : call->lone ? "call" : kind_names[call->kind];
}

static void add_json_words(struct graph_print *p, const struct call *call, struct text *out)
{
	static const struct {
		const char	*key;
		bool		(*add)(struct call_text *text, const struct call *call,
				       struct text *out);
	} words[] = { { "return", call_text_return }, { "caller", call_text_caller } };
	struct text *t = &p->name;

	text_clear(t);
	if (call_text_arguments(p->text, call, call_tree_function(p->tree, call->func), t))
		json_out_bytes(out, "args", text_str(t), t->len);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t skip;

		text_clear(t);
		if (!words[i].add(p->text, call, t))
			continue;
		skip = i ? 2 : 4;	/* "<-", "ret=" */
		json_out_bytes(out, words[i].key, text_str(t) + skip, t->len - skip);
	}
}

static void add_json(struct graph_print *p, const struct call *call, unsigned int level,
		     struct text *out)
{
	const char *comm = trace_comm(p->trace, p->file, p->task->pid,
				      call_text_start(p->text, call));
	int cpu = call_text_cpu(p->text, call, false), end_cpu = call_text_cpu(p->text, call, true);

	json_out_object(out, NULL);
	if (p->options->name)
		json_out_string(out, "file", p->options->name);
	json_out_string(out, "kind", kind_name(call));
	json_out_u64(out, "level", level);
	json_out_i64(out, "pid", p->task->pid);
	json_out_string(out, "comm", comm);
	json_out_i64(out, "cpu", cpu);
	if (end_cpu != cpu)
		json_out_i64(out, "end_cpu", end_cpu);
	if (*p->buffer)
		json_out_string(out, "instance", p->buffer);
	json_out_i64(out, trace_unit(p->trace) == TRACE_UNIT_NS ? "start_ns" : "start",
		     call_text_start(p->text, call));
	if (call_is_call(call)) {
		json_out_string(out, "function",
				call_text_function(p->text,
						   call_tree_function(p->tree, call->func)));
		if (call->depth >= 0 || !call->slice)
			json_out_i64(out, "depth", call->depth);
		json_out_string(out, "context", call_context_name(call));
	}
	if (call_is_timed(call) || call->kind == CALL_AWAY)
		json_out_exact_u64(out, "duration_ns", call_duration(call));
	if (call_is_timed(call)) {
		if (!call->doubtful) {
			json_out_exact_u64(out, "self_ns", call->self);
			if (p->has_net && call_has_net(call))
				json_out_exact_u64(out, "net_ns", call->net);
		}
	}
	if (call->inferred && call->calls != 1)
		json_out_exact_u64(out, "calls", call->calls);
	if (call_is_timed(call) && call->doubtful)
		json_out_bool(out, "doubtful", true);
	text_clear(&p->name);
	if (call->kind == CALL_AWAY && call_text_state(p->text, call, &p->name))
		json_out_bytes(out, "state", text_str(&p->name), p->name.len);
	if (call->kind == CALL_EVENT) {
		call_text_event(p->text, call, &p->name);
		json_out_bytes(out, "text", text_str(&p->name), p->name.len);
	}
	if (call_is_call(call))
		add_json_words(p, call, out);
	json_out_end_line(out);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void add_word(const char *word, struct text *out)
{
	text_csv(out, word, strlen(word));
	text_char(out, ',');
}

static void add_number(bool known, uint64_t number, struct text *out)
{
	if (known)
		text_u64(out, number);
	text_char(out, ',');
}

/* Arguments, the state of a task off the CPU, or the text of an event. */
static void add_csv_words(struct graph_print *p, const struct call *call, struct text *out)
{
	struct text *t = &p->name;

	text_clear(t);
	if (call->kind == CALL_AWAY)
		call_text_state(p->text, call, t);
	else if (call->kind == CALL_EVENT)
		call_text_event(p->text, call, t);
	else
		call_text_arguments(p->text, call, call_tree_function(p->tree, call->func), t);
	text_csv(out, text_str(t), t->len);
	text_char(out, ',');
	text_clear(t);
	if (call_is_call(call) && call_text_return(p->text, call, t))
		text_csv(out, text_str(t) + strlen("ret="), t->len - strlen("ret="));
	text_char(out, '\n');
}

void graph_print_titles(const struct graph_print_options *options, const struct trace *trace,
			struct text *out)
{
	text_printf(out,
		    "%s%s,cpu,pid,comm,level,kind,function,context,duration_ns,self_ns,net_ns,"
		    "calls,doubtful,instance,text,return\n",
		    options->name ? "file," : "",
		    trace_unit(trace) == TRACE_UNIT_NS ? "start_ns" : "start");
}

static void add_csv(struct graph_print *p, const struct call *call, unsigned int level,
		    struct text *out)
{
	int64_t start = call_text_start(p->text, call);
	bool is_call = call_is_call(call), timed = call_is_timed(call);

	if (p->options->name)
		add_word(p->options->name, out);
	text_printf(out, "%" PRId64 ",%d,%d,", start, call_text_cpu(p->text, call, false),
		    p->task->pid);
	add_word(trace_comm(p->trace, p->file, p->task->pid, start), out);
	text_printf(out, "%u,", level);
	add_word(kind_name(call), out);
	add_word(is_call ? call_text_function(p->text, call_tree_function(p->tree, call->func)) :
			   "",
		 out);
	add_word(is_call ? call_context_name(call) : "", out);
	add_number(timed || call->kind == CALL_AWAY, call_duration(call), out);
	add_number(timed && !call->doubtful, call->self, out);
	add_number(p->has_net && call_has_net(call), call->net, out);
	add_number(is_call, call->inferred ? call->calls : 1, out);
	add_number(is_call, timed && call->doubtful, out);
	add_word(p->buffer, out);
	add_csv_words(p, call, out);
}

void graph_print_data(struct graph_print *p, const struct call *call, unsigned int level,
		      struct text *out)
{
	if (p->options->format == FORMAT_CSV)
		add_csv(p, call, level, out);
	else
		add_json(p, call, level, out);
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_time(struct graph_print *p, const struct call *call, struct text *out)
{
	struct text time = { 0 };

	trace_time_text(p->trace, call_text_start(p->text, call), 6, &time);
	text_pad(out, time.len < GRAPH_TIME_CELLS ? GRAPH_TIME_CELLS - time.len : 0);
	text_add(out, text_str(&time));
	text_fini(&time);
}

static void add_us(struct text *out, uint64_t ns)
{
	text_printf(out, "%9" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

/* By CPU: whose call it is. */
static void add_task(struct graph_print *p, const struct call *call, unsigned int level,
		     struct text *out)
{
	size_t begin = out->len;

	if (level == 0) {
		const char *comm = trace_comm(p->trace, p->file, p->task->pid,
					      call_text_start(p->text, call));

		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%d", p->task->pid);
	}
	text_pad(out,
		 out->len - begin < GRAPH_TASK_CELLS ? GRAPH_TASK_CELLS - (out->len - begin) : 1);
}

/* "     7.431063   0 !     224.867        31.021       104.112  " */
static void add_figures(struct graph_print *p, const struct call *call, unsigned int level,
			struct text *out)
{
	add_time(p, call, out);
	text_printf(out, " %3d ", call_text_cpu(p->text, call, false));
	if (p->options->by_cpu)
		add_task(p, call, level, out);
	if (!call_is_timed(call) && call->kind != CALL_AWAY) {
		text_pad(out, 45);
		return;
	}
	text_char(out, text_duration_mark(call_duration(call)));
	text_char(out, call->kind != CALL_AWAY && call->doubtful ? '~' : ' ');
	add_us(out, call_duration(call));
	text_char(out, ' ');
	if (call->kind == CALL_AWAY || call->doubtful) {
		text_pad(out, 29);
		return;
	}
	add_us(out, call->self);
	text_char(out, ' ');
	if (p->has_net && call_has_net(call))
		add_us(out, call->net);
	else
		text_printf(out, "%15s", TABLE_NONE);
	text_add(out, "  ");
}

/* Adds the caller of an inferred call if that is not its parent. */
static bool add_caller(struct graph_print *p, const struct call *call, const struct call *above,
		       struct text *out)
{
	if (!call_text_caller(p->text, call, out))
		return false;
	return !call->inferred || !above ||
	       strcmp(out->data + strlen("<-"),
		      call_text_function(p->text, call_tree_function(p->tree, above->func)));
}

static void add_comment(struct graph_print *p, const struct call *call, struct text *out)
{
	static const char *const levels[] = { NULL, "softirq", "irq", "nmi" };
	const struct call *above = call->parent ? call_tree_call(p->tree, call->parent) : NULL;
	const char *comments[6];
	struct text ret = { 0 }, caller = { 0 }, times = { 0 };
	unsigned int nr = 0;

	if (call_lost_entry(call))
		comments[nr++] = "entry lost";
	if ((call->kind == CALL_UNCLOSED || call->kind == CALL_OPEN) && !call->inferred)
		comments[nr++] = call->slice ? "no end" : "no exit";
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

void graph_print_indent(unsigned int level, struct text *out)
{
	text_pad(out, 2 * (size_t)(level < INDENTED_LEVELS ? level : INDENTED_LEVELS));
	if (level > INDENTED_LEVELS)
		text_printf(out, "(level %u) ", level);
}

void graph_print_text(struct graph_print *p, const struct call *call, unsigned int level,
		      char brace, unsigned int hidden, struct text *out)
{
	add_figures(p, call, level, out);
	graph_print_indent(level, out);
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
		call_text_arguments(p->text, call, call_tree_function(p->tree, call->func),
				    &p->name);
		text_add(out, call->slice ? "" : "(");
		text_printable(out, text_str(&p->name), p->name.len);
		text_add(out, call->slice ? "" : ")");
		text_add(out, brace == ';' ? ";" : " {");
	}
	if (hidden)
		text_printf(out, " %u call%s }", hidden, PLURAL(hidden));
	add_comment(p, call, out);
	text_char(out, '\n');
}
