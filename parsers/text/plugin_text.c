/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_text - events that trace-cmd and libtraceevent's plugins print by code: the table of our
 * twins of that code, and the small ones.
 */
#include "parsers/text/plugin_text_private.h"

#include <inttypes.h>
#include <string.h>

#include "parsers/print/print_number.h"
#include "parsers/text/sched_text.h"
#include "parsers/print/text_pattern.h"

/* --- sched --------------------------------------------------------------- */

/* Letters by bit number, as libtraceevent collects them: up to the first without a letter. */
static void add_state(const struct text_context *c, uint64_t state, struct text *out)
{
	const char *letters = "SDTtZXxW";
	char own[33] = "";
	bool found = false;

	for (unsigned int i = 0; c->states && i < c->states->nr; i++)
		if (c->states->states[i].bit && c->states->states[i].bit <= UINT32_MAX)
			own[__builtin_ctzll(c->states->states[i].bit)] =
				c->states->states[i].letter;
	if (c->states)
		letters = own;
	for (unsigned int i = 0; letters[i]; i++) {
		if (!(state & (1ull << i)))
			continue;
		if (found)
			text_char(out, '|');
		found = true;
		text_char(out, letters[i]);
	}
	if (!found)
		text_char(out, 'R');
}

/* The name of a task; NULL if the type has none. */
static const char *find_comm(const struct text_context *c, unsigned int i,
			     const struct print_record *rec, size_t *len)
{
	const struct event_field *f = c->f[i];
	uint32_t room = rec->room > rec->size ? rec->room : rec->size;
	const char *s;

	*len = 0;
	if (!f)
		return NULL;
	s = (const char *)rec->data + f->offset;
	if (f->offset < room)
		*len = strnlen(s, f->size < room - f->offset ? f->size : room - f->offset);
	return s;
}

static void add_comm(const struct text_context *c, unsigned int i, const struct print_record *rec,
		     struct text *out)
{
	size_t len;
	const char *s = find_comm(c, i, rec, &len);

	if (!s)
		return;
	text_bytes(out, s, len);
	text_char(out, ':');
}

/* Printing a name also learns it. */
static void learn_comm(const struct text_context *c, unsigned int i, uint64_t pid,
		       const struct print_record *rec, struct record_text_state *state)
{
	size_t len;
	const char *s = find_comm(c, i, rec, &len);

	if (s)
		record_text_learn_comm(c, state, (int)pid, s, len);
}

static void add_signed(struct text *out, uint64_t v)
{
	print_signed(out, (int64_t)v);
}

/* prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio */
static PLUGIN_TWIN(sched_switch)
{
	uint64_t v;

	(void)next;
	if (!plugin_demand(c, 1, "prev_pid", rec, &v, out))
		return true;
	add_comm(c, 0, rec, out);
	add_signed(out, v);
	text_char(out, ' ');
	if (plugin_need(c, 2, "prev_prio", rec, &v, out)) {
		text_char(out, '[');
		add_signed(out, (uint64_t)(int)v);
		text_add(out, "] ");
	}
	if (c->options->era == TEXT_ERA_3_4 ? plugin_number(c, 3, rec, &v) :
					      plugin_need(c, 3, "prev_state", rec, &v, out))
		add_state(c, v, out);
	text_add(out, " ==> ");
	if (!plugin_demand(c, 5, "next_pid", rec, &v, out))
		return true;
	add_comm(c, 4, rec, out);
	add_signed(out, v);
	if (plugin_need(c, 6, "next_prio", rec, &v, out)) {
		text_add(out, " [");
		add_signed(out, (uint64_t)(int)v);
		text_char(out, ']');
	}
	return true;
}

static PLUGIN_REMEMBER(sched_switch_names)
{
	uint64_t v;

	if (!plugin_number(c, 1, rec, &v))
		return 0;
	learn_comm(c, 0, v, rec, state);
	if (plugin_number(c, 5, rec, &v))
		learn_comm(c, 4, v, rec, state);
	return 0;
}

static bool sched_switch_tells_nothing(const struct text_context *c, const struct print_record *rec,
				       const struct record_text_state *state)
{
	uint64_t prev, next;

	return !plugin_number(c, 1, rec, &prev) ||
	       (record_text_knows_comm(state, (int)prev) &&
		(!plugin_number(c, 5, rec, &next) || record_text_knows_comm(state, (int)next)));
}

/* comm pid prio success target_cpu */
static PLUGIN_TWIN(sched_wakeup)
{
	uint64_t v;

	(void)next;
	if (!plugin_demand(c, 1, "pid", rec, &v, out))
		return true;
	add_comm(c, 0, rec, out);
	add_signed(out, v);
	if (plugin_need(c, 2, "prio", rec, &v, out)) {
		text_add(out, " [");
		add_signed(out, v);
		text_char(out, ']');
	}
	if (plugin_number(c, 3, rec, &v)) {
		text_add(out, " success=");
		add_signed(out, v);
	}
	if (plugin_number(c, 4, rec, &v)) {
		static const struct print_spec three = { 'u', FLAG_ZERO, 8, false, 3, -1 };

		text_add(out, " CPU:");
		print_number(out, &three, v);
	}
	return true;
}

static PLUGIN_REMEMBER(sched_wakeup_name)
{
	uint64_t v;

	if (plugin_number(c, 1, rec, &v))
		learn_comm(c, 0, v, rec, state);
	return 0;
}

static bool sched_wakeup_tells_nothing(const struct text_context *c, const struct print_record *rec,
				       const struct record_text_state *state)
{
	uint64_t v;

	return !plugin_number(c, 1, rec, &v) || record_text_knows_comm(state, (int)v);
}

/* --- kmem ---------------------------------------------------------------- */

/* Prints a prefix; the print format follows. */
static PLUGIN_TWIN(kmem_call_site)
{
	struct kallsyms_symbol s;
	uint64_t v;

	(void)next;
	if (plugin_number(c, 0, rec, &v) && plugin_symbol(c, v, &s))
		text_printf(out, "(%s+0x%x) ", s.name, (unsigned int)(v - s.start));
	return false;
}

/* --- hrtimer ------------------------------------------------------------- */

static void add_field(const struct text_context *c, unsigned int i, const char *name, bool hex,
		      const struct print_record *rec, struct text *out)
{
	uint64_t v;

	if (!plugin_number(c, i, rec, &v))
		text_printf(out, "CAN'T FIND FIELD \"%s\"", name);
	else
		text_printf(out, hex ? "0x%" PRIx64 : "%" PRIu64, v);
}

/* timer or hrtimer */
static void add_timer(const struct text_context *c, const struct print_record *rec,
		      struct text *out)
{
	text_add(out, "hrtimer=");
	add_field(c, c->f[0] ? 0 : 1, "hrtimer", true, rec, out);
}

static void add_function(const struct text_context *c, unsigned int i,
			 const struct print_record *rec, struct text *out)
{
	struct kallsyms_symbol s;
	struct text t = { 0 };
	uint64_t v;

	if (!plugin_number(c, i, rec, &v))
		return;
	if (plugin_symbol(c, v, &s))
		text_printf(&t, "%s/0x%" PRIx64, s.name, s.start - v);
	else
		text_printf(&t, "0x%08" PRIx64, v);
	text_add(out, " function=");
	/* size of the library's buffer */
	text_bytes(out, text_str(&t), t.len < 127 ? t.len : 127);
	text_fini(&t);
}

/* Prints "hrtimer=... now=... function=...". */
static PLUGIN_TWIN(hrtimer_expire)
{
	(void)next;
	add_timer(c, rec, out);
	text_add(out, " now=");
	add_field(c, 2, "now", false, rec, out);
	add_function(c, 3, rec, out);
	return true;
}

/* timer hrtimer function expires softexpires */
static PLUGIN_TWIN(hrtimer_start)
{
	(void)next;
	add_timer(c, rec, out);
	add_function(c, 2, rec, out);
	text_add(out, " expires=");
	add_field(c, 3, "expires", false, rec, out);
	text_add(out, " softexpires=");
	add_field(c, 4, "softexpires", false, rec, out);
	return true;
}

/* --- tlb, futex ---------------------------------------------------------- */

/* pages reason */
static PLUGIN_TWIN(tlb_flush)
{
	static const char *const reasons[] = { "flush on task switch", "remote shootdown",
					       "local shootdown",
					       "local mm shootdown" };
	uint64_t v;

	(void)next;
	text_add(out, "pages=");
	if (plugin_number(c, 0, rec, &v))
		add_signed(out, v);
	else
		text_add(out, "CAN'T FIND FIELD \"pages\"");
	if (!plugin_need(c, 1, "reason", rec, &v, out))
		return false;
	text_printf(out, " reason=%s (%" PRId64 ")", v < 4 ? reasons[v] : "", (int64_t)v);
	return true;
}

enum futex_form { FUTEX_NONE, FUTEX_DECIMAL, FUTEX_HEX };

struct futex_op {
	const char	*name;
	enum futex_form	 val, utime, uaddr2, val3;
	bool		 is_val2;	/* the fourth argument is a count, not a time */
};

static void add_futex(struct text *out, const char *name, enum futex_form form, uint64_t v)
{
	if (form != FUTEX_NONE)
		text_printf(out, form == FUTEX_HEX ? " %s=0x%08" PRIx64 : " %s=%" PRIu64, name, v);
}

/* uaddr op val utime uaddr2 val3 */
static PLUGIN_TWIN(futex)
{
	static const char *const names[] = { "uaddr", "op", "val", "utime", "uaddr2", "val3" };
	static const struct futex_op ops[] = {
		{ "FUTEX_WAIT", FUTEX_HEX, FUTEX_HEX, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_WAKE", FUTEX_DECIMAL, FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_FD", FUTEX_DECIMAL, FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_REQUEUE", FUTEX_DECIMAL, FUTEX_DECIMAL, FUTEX_HEX, FUTEX_NONE, true },
		{ "FUTEX_CMP_REQUEUE", FUTEX_DECIMAL, FUTEX_DECIMAL, FUTEX_HEX, FUTEX_HEX, true },
		{ "FUTEX_WAKE_OP", FUTEX_DECIMAL, FUTEX_DECIMAL, FUTEX_HEX, FUTEX_HEX, true },
		{ "FUTEX_LOCK_PI", FUTEX_NONE, FUTEX_HEX, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_UNLOCK_PI", FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_TRYLOCK_PI", FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, FUTEX_NONE, false },
		{ "FUTEX_WAIT_BITSET", FUTEX_HEX, FUTEX_HEX, FUTEX_NONE, FUTEX_HEX, false },
		{ "FUTEX_WAKE_BITSET", FUTEX_DECIMAL, FUTEX_NONE, FUTEX_NONE, FUTEX_HEX, false },
		{ "FUTEX_WAIT_REQUEUE_PI", FUTEX_HEX, FUTEX_HEX, FUTEX_HEX, FUTEX_HEX, false },
		{ "FUTEX_CMP_REQUEUE_PI", FUTEX_DECIMAL, FUTEX_DECIMAL, FUTEX_HEX, FUTEX_HEX,
		  true },
	};
	const uint64_t private = 128, realtime = 256;
	const struct futex_op *op;
	uint64_t args[6];

	(void)next;
	for (unsigned int i = 0; i < 6; i++)
		if (!plugin_need(c, i, names[i], rec, &args[i], out))
			return false;
	if ((args[1] & ~(private | realtime)) >= sizeof(ops) / sizeof(ops[0]))
		return false;
	op = &ops[args[1] & ~(private | realtime)];
	text_printf(out, "op=%s%s%s uaddr=0x%08" PRIx64, op->name,
		    args[1] & private ? "|FUTEX_PRIVATE_FLAG" : "",
		    args[1] & realtime ? "|FUTEX_CLOCK_REALTIME" : "", args[0]);
	add_futex(out, "val", op->val, args[2]);
	add_futex(out, op->is_val2 ? "val2" : "utime", op->utime, args[3]);
	add_futex(out, "uaddr2", op->uaddr2, args[4]);
	add_futex(out, "val3", op->val3, args[5]);
	return true;
}

/* --- function_graph ------------------------------------------------------- */

static PLUGIN_TWIN(graph_entry)
{
	return graph_text_entry(c->graph, c->syms, rec, next, out);
}

static bool graph_merges(const struct text_context *c, const struct print_record *rec,
			 const struct print_record *next)
{
	return graph_text_is_leaf(c->graph, rec, next) && graph_text_has_times(c->graph, rec->type);
}

static PLUGIN_TWIN(graph_exit)
{
	(void)next;
	return graph_text_exit(c->graph, c->syms, rec, out);
}

/* --- what texts look like -------------------------------------------------- */

/* Does the type have all fields that the texts below use?  If not, the texts contain complaints. */
static bool has_fields(const struct text_context *c, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!c->f[i] || (!field_is_number(c->f[i]->size) && !strstr(c->f[i]->name, "comm")))
			return false;
	return true;
}

static bool sched_switch_pattern(const struct text_context *c, struct text_pattern *p)
{
	if (!has_fields(c, 7) || c->options->era == TEXT_ERA_3_4) {
		/* the trace's own letters */
		text_pattern_any(p);
		return false;
	}
	sched_text_task_pattern(p);
	text_pattern_str(p, " ");
	text_pattern_chars(p, "SDTtZXxWR|");
	text_pattern_str(p, " ==> ");
	sched_text_task_pattern(p);
	return false;
}

/* A number after @before, or nothing. */
static void add_number_pattern(struct text_pattern *p, const char *before)
{
	unsigned int none = text_pattern_branch(p, false);

	text_pattern_str(p, before);
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_set_target(p, none, text_pattern_nr(p));
}

static bool sched_wakeup_pattern(const struct text_context *c, struct text_pattern *p)
{
	if (!has_fields(c, 3)) {
		text_pattern_any(p);
		return false;
	}
	sched_text_task_pattern(p);
	add_number_pattern(p, " success=");
	add_number_pattern(p, " CPU:");
	return false;
}

/* "(kmem_func+0x12) " or nothing, and the print format */
static bool kmem_pattern(const struct text_context *c, struct text_pattern *p)
{
	unsigned int none = text_pattern_branch(p, false);

	(void)c;
	text_pattern_str(p, "(");
	text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
	text_pattern_str(p, "+0x");
	text_pattern_chars(p, TEXT_PATTERN_HEX);
	text_pattern_str(p, ") ");
	text_pattern_set_target(p, none, text_pattern_nr(p));
	return true;
}

/* " function=" and a symbol, or nothing */
static void add_function_pattern(struct text_pattern *p)
{
	unsigned int none = text_pattern_branch(p, false);

	text_pattern_str(p, " function=");
	text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
	text_pattern_chars(p, TEXT_PATTERN_HEX "/");
	text_pattern_set_target(p, none, text_pattern_nr(p));
}

static bool hrtimer_expire_pattern(const struct text_context *c, struct text_pattern *p)
{
	(void)c;
	text_pattern_str(p, "hrtimer=");
	text_pattern_chars(p, TEXT_PATTERN_HEX "CAN'T FIND FIELD \"hrtimer\"");
	text_pattern_str(p, " now=");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER "CAN'T FIND FIELD \"now\"");
	add_function_pattern(p);
	return false;
}

static bool hrtimer_start_pattern(const struct text_context *c, struct text_pattern *p)
{
	(void)c;
	text_pattern_str(p, "hrtimer=");
	text_pattern_chars(p, TEXT_PATTERN_HEX "CAN'T FIND FIELD \"hrtimer\"");
	add_function_pattern(p);
	text_pattern_str(p, " expires=");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER "CAN'T FIND FIELD \"expires\"");
	text_pattern_str(p, " softexpires=");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER "CAN'T FIND FIELD \"softexpires\"");
	return false;
}

/* --- the table ------------------------------------------------------------- */

#define KMEM(event) \
	{ "kmem", event, kmem_call_site, .pattern = kmem_pattern, .fields = { "call_site" } }

const struct text_handler_def plugin_handlers[] = {
	{ "sched", "sched_switch", sched_switch, .remember = sched_switch_names,
	  .tells_nothing = sched_switch_tells_nothing, .pattern = sched_switch_pattern,
	  .fields = { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
		      "next_prio" } },
	{ "sched", "sched_wakeup", sched_wakeup, .remember = sched_wakeup_name,
	  .tells_nothing = sched_wakeup_tells_nothing, .pattern = sched_wakeup_pattern,
	  .fields = { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched", "sched_wakeup_new", sched_wakeup, .remember = sched_wakeup_name,
	  .tells_nothing = sched_wakeup_tells_nothing, .pattern = sched_wakeup_pattern,
	  .fields = { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "ftrace", "function", plugin_function, .remember = plugin_function_indent,
	  .fields = { "ip", "parent_ip" } },
	{ "ftrace", "func_repeats", plugin_repeats, .remember = plugin_function_indent,
	  .fields = { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ "ftrace", "kernel_stack", plugin_stack, .fields = { "caller" } },
	{ "ftrace", "raw_data", plugin_raw_data, .fields = { "id", "buf" } },
	KMEM("kfree"), KMEM("kmalloc"), KMEM("kmalloc_node"),
	KMEM("kmem_cache_alloc"), KMEM("kmem_cache_alloc_node"), KMEM("kmem_cache_free"),
	{ "timer", "hrtimer_expire_entry", hrtimer_expire, .pattern = hrtimer_expire_pattern,
	  .fields = { "timer", "hrtimer", "now", "function" } },
	{ "timer", "hrtimer_start", hrtimer_start, .pattern = hrtimer_start_pattern,
	  .fields = { "timer", "hrtimer", "function", "expires", "softexpires" } },
	{ "tlb", "tlb_flush", tlb_flush, .fields = { "pages", "reason" } },
	{ "syscalls", "sys_enter_futex", futex, .fields = { "uaddr", "op", "val", "utime", "uaddr2",
							    "val3" } },
	{ "kvm", "kvm_exit", plugin_kvm_exit, .fields = { "exit_reason", "isa", "guest_rip",
							  "info1", "info2" } },
	{ "kvm", "kvm_entry", plugin_kvm_entry, .fields = { "vcpu_id", "rip" } },
	{ "kvm", "kvm_nested_vmexit", plugin_kvm_nested,
	  .fields = { "exit_code", "isa", "rip", "exit_info1", "exit_info2", "exit_int_info",
		      "exit_int_info_err" } },
	{ "kvm", "kvm_nested_vmexit_inject", plugin_kvm_inject,
	  .fields = { "exit_code", "isa", "rip", "exit_info1", "exit_info2", "exit_int_info",
		      "exit_int_info_err" } },
	{ "ftrace", "funcgraph_entry", graph_entry, .merges = graph_merges },
	{ "ftrace", "funcgraph_exit", graph_exit, .fields = { NULL } },
	/* Without a twin: libtraceevent prints them */
	{ "kvm", "kvm_emulate_insn" },
	{ "kvmmmu", "kvm_mmu_get_page" },
	{ "kvmmmu", "kvm_mmu_sync_page" },
	{ "kvmmmu", "kvm_mmu_unsync_page" },
	{ "kvmmmu", "kvm_mmu_zap_page" },
	{ "kvmmmu", "kvm_mmu_prepare_zap_page" },
	{ "mac80211", "drv_bss_info_changed" },
	{ .name = NULL },
};

/* --- functions that print formats call ----------------------------------- */

static uint64_t jbd2_dev(const struct text_context *c, const struct print_record *rec,
			 const uint64_t *args, struct text *out)
{
	unsigned int dev = (unsigned int)args[0];

	(void)c;
	(void)rec;
	if (out)
		text_printf(out, "%d:%d", (int)(dev >> 20), (int)(dev & 0xfffff));
	return 0;
}

static uint64_t jiffies(const struct text_context *c, const struct print_record *rec,
			const uint64_t *args, struct text *out)
{
	(void)c;
	(void)rec;
	if (out)
		text_printf(out, "%" PRId64, (int64_t)args[0]);
	return args[0];
}

static uint64_t is_writable_pte(const struct text_context *c, const struct print_record *rec,
				const uint64_t *args, struct text *out)
{
	(void)c;
	(void)rec;
	(void)out;
	return args[0] & 2;
}

const struct text_function plugin_functions[] = {
	{ "jbd2_dev_to_name", 1, jbd2_dev },
	{ "jiffies_to_msecs", 1, jiffies },
	{ "is_writable_pte", 1, is_writable_pte },
	{ "__le16_to_cpup", 1, NULL },
	{ "scsi_trace_parse_cdb", 3, NULL },
	{ "xen_hypercall_name", 1, NULL },
	{ NULL, 0, NULL },
};
