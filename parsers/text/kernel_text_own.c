/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text_own - records of the kernel's tracers, stacks and trace_printk().
 */
#include <inttypes.h>
#include <string.h>

#include "parsers/print/binary_printf.h"
#include "parsers/text/kernel_args.h"
#include "parsers/text/kernel_text_private.h"

/* Bytes from a field to the end of the record: stacks are longer than their formats say. */
static struct field_span rest_of_record(const struct kernel_call *c, unsigned int i)
{
	uint32_t offset = c->event->f[i]->offset;

	if (offset > c->rec->size)
		return (struct field_span){ c->rec->data, 0 };
	return (struct field_span){ c->rec->data + offset, c->rec->size - offset };
}

static uint64_t long_at(const struct kernel_call *c, struct field_span span, uint32_t i)
{
	uint32_t size = (uint32_t)c->kt->long_size;

	return field_load(span.data, span.len, i * size, size, c->kt->swap);
}

static uint32_t nr_longs(const struct kernel_call *c, struct field_span span)
{
	return span.len / (uint32_t)c->kt->long_size;
}

/* Append a symbol, with its offset if the option is set. */
static void add_ip(const struct kernel_call *c, uint64_t address)
{
	kernel_add_ip(c, address, c->kt->options.sym_offset);
}

/* --- function ------------------------------------------------------------ */

enum { FN_IP, FN_PARENT, FN_ARGS, FN_COUNT = 2, FN_TOP, FN_BOTTOM };

static void add_call(const struct kernel_call *c, bool args)
{
	add_ip(c, kernel_field(c, FN_IP));
	if (args && c->event->f[FN_ARGS]) {
		struct field_span span = rest_of_record(c, FN_ARGS);

		if (nr_longs(c, span) >= KERNEL_ARGS_MAX)
			kernel_args_add(c->kt, kernel_field(c, FN_IP), span.data, span.len, c->out);
	}
	if (!c->kt->options.no_print_parent && kernel_field(c, FN_PARENT)) {
		text_add(c->out, " <-");
		add_ip(c, kernel_field(c, FN_PARENT));
	}
}

static void print_function(const struct kernel_call *c)
{
	add_call(c, true);
	text_char(c->out, '\n');
}

static void print_repeats(const struct kernel_call *c)
{
	uint64_t delta = kernel_field(c, FN_TOP) << 32 | kernel_field(c, FN_BOTTOM);

	add_call(c, false);
	text_printf(c->out, " (repeats: %" PRIu64 ", last_ts:", kernel_field(c, FN_COUNT));
	kernel_add_time(c->kt, c->rec->ts - delta, c->out);
	text_add(c->out, ")\n");
}

/* --- stacks -------------------------------------------------------------- */

static void print_kernel_stack(const struct kernel_call *c)
{
	struct field_span span = rest_of_record(c, 0);
	uint64_t none = c->kt->long_size == 4 ? UINT32_MAX : UINT64_MAX;

	text_add(c->out, "<stack trace>\n");
	for (uint32_t i = 0; i < nr_longs(c, span) && !text_is_full(c->out); i++) {
		uint64_t ip = long_at(c, span, i);

		if (ip == none)
			break;
		text_add(c->out, " => ");
		/*
		 * The kernel marks the trampolines of its own tracers (FTRACE_TRAMPOLINE_MARKER,
		 * since 6.12).
		 */
		if (ip == INT32_MAX)
			text_add(c->out, "[FTRACE TRAMPOLINE]");
		else
			add_ip(c, ip);
		text_char(c->out, '\n');
	}
}

static void print_user_stack(const struct kernel_call *c)
{
	struct field_span span = kernel_bytes(c, 0);

	text_add(c->out, "<user stack trace>\n");
	for (uint32_t i = 0; i < nr_longs(c, span) && long_at(c, span, i); i++)
		text_printf(c->out,
			    c->kt->long_size == 4 ? " =>  <%08" PRIx64 ">\n" :
						    " =>  <%016" PRIx64 ">\n",
			    long_at(c, span, i));
}

/* --- trace_printk, trace_marker ------------------------------------------ */

static void add_symbol(void *arg, uint64_t address, bool offset, struct text *out)
{
	kernel_text_symbol(arg, address, offset, out);
}

static void add_place(const struct kernel_call *c)
{
	add_ip(c, kernel_field(c, 0));
	text_add(c->out, ": ");
}

static void add_bprint(const struct kernel_call *c)
{
	const char *format = printk_formats_find(c->kt->printk, kernel_field(c, 1));
	struct field_span args = rest_of_record(c, 2);
	struct binary_printf b = { .data = args.data, .size = args.len,
				   .long_size = c->kt->long_size,
				   .swap = c->kt->swap, .symbol = add_symbol, .arg = c->kt };

	if (format)
		binary_printf(&b, format, c->out);
	else
		text_printf(c->out, "(no format at 0x%" PRIx64 ")\n", kernel_field(c, 1));
}

static void print_bprint(const struct kernel_call *c)
{
	add_place(c);
	add_bprint(c);
}

static void add_bputs(const struct kernel_call *c)
{
	const char *string = printk_formats_find(c->kt->printk, kernel_field(c, 1));

	if (string)
		text_add(c->out, string);
	else
		text_printf(c->out, "(no string at 0x%" PRIx64 ")\n", kernel_field(c, 1));
}

static void print_bputs(const struct kernel_call *c)
{
	add_place(c);
	add_bputs(c);
}

static void add_print(const struct kernel_call *c)
{
	struct field_span span = rest_of_record(c, 1);

	text_bytes(c->out, (const char *)span.data, strnlen((const char *)span.data, span.len));
}

static void print_print(const struct kernel_call *c)
{
	add_place(c);
	add_print(c);
}

static void print_raw_data(const struct kernel_call *c)
{
	struct field_span span = rest_of_record(c, 1);

	text_printf(c->out, "# %" PRIx64 " buf:", kernel_field(c, 0));
	for (uint32_t i = 0; i < span.len; i++)
		text_printf(c->out, " %02x", span.data[i]);
	text_char(c->out, '\n');
}

/* --- hwlat, osnoise, timerlat -------------------------------------------- */

static void print_hwlat(const struct kernel_call *c)
{
	text_printf(c->out,
		    "#%-5u inner/outer(us): %4" PRIu64 "/%-5" PRIu64 " ts:%" PRId64 ".%09" PRId64,
		    (unsigned int)kernel_field(c, 0), kernel_field(c, 1), kernel_field(c, 2),
		    (int64_t)kernel_field(c, 3), (int64_t)kernel_field(c, 4));
	if (c->event->f[5])
		text_printf(c->out, " count:%d", (int)kernel_field(c, 5));
	if (kernel_field(c, 6)) {
		if (kernel_field(c, 7))
			text_printf(c->out, " nmi-total:%" PRIu64, kernel_field(c, 7));
		text_printf(c->out, " nmi-count:%u", (unsigned int)kernel_field(c, 6));
	}
	text_char(c->out, '\n');
}

static void print_osnoise(const struct kernel_call *c)
{
	uint64_t runtime = kernel_field(c, 0), noise = kernel_field(c, 1);
	uint64_t ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;

	text_printf(c->out, "%" PRIu64 " %10" PRIu64 " %3" PRIu64 ".%05" PRIu64 " %7" PRIu64,
		    runtime, noise, ratio / 100000, ratio % 100000, kernel_field(c, 2));
	for (unsigned int i = 3; i < 8; i++)
		text_printf(c->out, " %6" PRIu64, kernel_field(c, i));
	text_char(c->out, '\n');
}

static void print_timerlat(const struct kernel_call *c)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = kernel_field(c, 1);

	text_printf(c->out, "#%-5u context %6s timer_latency %9" PRIu64 " ns\n",
		    (unsigned int)kernel_field(c, 0), context < 3 ? contexts[context] : "?",
		    kernel_field(c, 2));
}

/* --- branch, mmiotrace, the scheduler's own -------------------------------- */

static void print_branch(const struct kernel_call *c)
{
	struct field_span func = kernel_bytes(c, 1), file = kernel_bytes(c, 2);

	text_add(c->out, kernel_field(c, 3) ? "[  ok  ] " : "[ MISS ] ");
	text_bytes(c->out, (const char *)func.data, func.len);
	text_char(c->out, ':');
	text_bytes(c->out, (const char *)file.data, file.len);
	text_printf(c->out, ":%" PRIu64 "\n", kernel_field(c, 0));
}

static void add_mmio_time(const struct kernel_call *c)
{
	uint64_t us = (c->rec->ts + 500) / 1000;

	text_printf(c->out, " %" PRIu64 ".%06" PRIu64 " ", us / 1000000, us % 1000000);
}

static void print_mmio_rw(const struct kernel_call *c)
{
	enum { READ = 1, WRITE, UNKNOWN_OP = 5 };
	uint64_t phys = kernel_field(c, 0), value = kernel_field(c, 1), pc = kernel_field(c, 2);
	int map_id = (int)kernel_field(c, 3), opcode = (int)kernel_field(c, 4);

	if (opcode == READ || opcode == WRITE) {
		text_printf(c->out, "%c %d", opcode == READ ? 'R' : 'W', (int)kernel_field(c, 5));
		add_mmio_time(c);
		text_printf(c->out, "%d 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0\n", map_id,
			    phys, value, pc);
	} else if (opcode == UNKNOWN_OP) {
		text_add(c->out, "UNKNOWN");
		add_mmio_time(c);
		text_printf(c->out, "%d 0x%" PRIx64 " %02x,%02x,%02x 0x%" PRIx64 " 0\n", map_id,
			    phys, (unsigned int)(value >> 16 & 0xff),
			    (unsigned int)(value >> 8 & 0xff), (unsigned int)(value & 0xff), pc);
	} else {
		text_add(c->out, "rw what?\n");
	}
}

static void print_mmio_map(const struct kernel_call *c)
{
	enum { PROBE = 3, UNPROBE };
	int map_id = (int)kernel_field(c, 3), opcode = (int)kernel_field(c, 4);

	if (opcode == PROBE) {
		text_add(c->out, "MAP");
		add_mmio_time(c);
		text_printf(c->out, "%d 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x0 0\n", map_id,
			    kernel_field(c, 0), kernel_field(c, 1), kernel_field(c, 2));
	} else if (opcode == UNPROBE) {
		text_add(c->out, "UNMAP");
		add_mmio_time(c);
		text_printf(c->out, "%d 0x0 0\n", map_id);
	} else {
		text_add(c->out, "map what?\n");
	}
}

/* Letters of the kernel's task_index_to_char(). */
static char state_letter(const struct kernel_call *c, uint64_t state)
{
	const char *letters = c->kt->release && c->kt->release < (4u << 16 | 14) ? "RSDTtXZxKWP" :
										   "RSDTtXZPI";
	unsigned int index = state ? (unsigned int)(64 - __builtin_clzll(state)) : 0;

	/* Since 4.14 the record holds the index; before, it held the bits. */
	if (c->kt->release >= (4u << 16 | 14) || !c->kt->release)
		index = (unsigned int)state;
	return index < strlen(letters) ? letters[index] : '?';
}

enum {
	CW_PREV_PID,
	CW_PREV_PRIO,
	CW_PREV_STATE,
	CW_NEXT_PID,
	CW_NEXT_PRIO,
	CW_NEXT_STATE,
	CW_NEXT_CPU
};

static void add_switch(const struct kernel_call *c, const char *arrow, char prev_state)
{
	int next = (int)kernel_field(c, CW_NEXT_PID);

	text_printf(c->out, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s\n",
		    (int)kernel_field(c, CW_PREV_PID), (int)kernel_field(c, CW_PREV_PRIO),
		    prev_state, arrow, (int)kernel_field(c, CW_NEXT_CPU), next,
		    (int)kernel_field(c, CW_NEXT_PRIO),
		    state_letter(c, kernel_field(c, CW_NEXT_STATE)), kernel_text_comm(c->kt, next));
}

static void print_switch(const struct kernel_call *c)
{
	add_switch(c, "==>", state_letter(c, kernel_field(c, CW_PREV_STATE)));
}

static void print_wakeup(const struct kernel_call *c)
{
	add_switch(c, "  +", state_letter(c, kernel_field(c, CW_PREV_STATE)));
}

/* --- options raw and hex -------------------------------------------------- */

/* trace_seq_putmem_hex() */
static void add_hex(const struct kernel_call *c, uint64_t v, unsigned int bytes)
{
	text_printf(c->out, "%0*" PRIx64 " ", (int)bytes * 2,
		    bytes < 8 ? v & ((UINT64_C(1) << 8 * bytes) - 1) : v);
}

/*
 * x u d n: a number, as %lx %u %d %09d;  t: a number of two fields;  s S: the letter of a state, a
 * char and an int;  +: itself.  # and : begin a marker, and m is its message.  =: the usual text.
 */
void kernel_add_raw(const struct kernel_call *c, bool hex)
{
	for (const char *how = c->event->kind->raw; *how; how += 2) {
		unsigned int i = (unsigned int)(how[1] - '0');
		uint64_t v = kernel_field(c, i);

		switch (*how) {
		case '=':
			c->event->kind->print(c);
			continue;
		case '#':
			text_printf(c->out, "# %" PRIx64 " ", v);
			continue;
		case ':':
			text_printf(c->out, ": %" PRIx64 " : ", v);
			continue;
		case 'm':
			c->event->kind->message(c);
			continue;
		case 's':
		case 'S':
			v = (uint64_t)state_letter(c, v);
			break;
		case '+':
			v = '+';
			break;
		case 't':
			v = v << 32 | kernel_field(c, i + 1);
			break;
		}
		if (hex)
			add_hex(c, v,
				strchr("s+", *how) ? 1 :
				*how == 'S'        ? 4 :
						     c->event->f[i]->size);
		else if (strchr("sS+", *how))
			text_char(c->out, (char)v);
		else
			text_printf(c->out,
				    *how == 'x' ? "%" PRIx64 :
				    *how == 'd' ? "%" PRId64 :
				    *how == 'n' ? "%09" PRId64 :
						  "%" PRIu64,
				    v);
		if (!hex)
			text_char(c->out, how[2] ? ' ' : '\n');
	}
}

#define SWITCH_FIELDS \
	{ "prev_pid", "prev_prio", "prev_state", "next_pid", "next_prio", "next_state", "next_cpu" }

const struct kernel_kind kernel_own_kinds[] = {
	{ .system = "ftrace", .name = "function", .way = KERNEL_TEXT_WHOLE, .print = print_function,
	  .raw = "x0x1", .hex = true,
	  .fields = { "ip", "parent_ip", "?args" } },
	{ .system = "ftrace", .name = "func_repeats", .way = KERNEL_TEXT_WHOLE,
	  .print = print_repeats,
	  .raw = "u0u1u2t3",
	  .fields = { "ip", "parent_ip", "count", "top_delta_ts", "bottom_delta_ts" } },
	{ .system = "ftrace", .name = "kernel_stack", .way = KERNEL_TEXT_WHOLE,
	  .print = print_kernel_stack,
	  .fields = { "caller" } },
	{ .system = "ftrace", .name = "user_stack", .way = KERNEL_TEXT_WHOLE,
	  .print = print_user_stack,
	  .fields = { "caller" } },
	{ .system = "ftrace", .name = "bprint", .way = KERNEL_TEXT_WHOLE, .print = print_bprint,
	  .message = add_bprint,
	  .raw = ":0m0",
	  .fields = { "ip", "fmt", "buf" } },
	{ .system = "ftrace", .name = "bputs", .way = KERNEL_TEXT_WHOLE, .print = print_bputs,
	  .message = add_bputs,
	  .raw = ":0m0",
	  .fields = { "ip", "str" } },
	{ .system = "ftrace", .name = "print", .way = KERNEL_TEXT_WHOLE, .print = print_print,
	  .message = add_print,
	  .raw = "#0m0",
	  .fields = { "ip", "buf" } },
	{ .system = "ftrace", .name = "raw_data", .way = KERNEL_TEXT_WHOLE, .print = print_raw_data,
	  .raw = "=0",
	  .fields = { "id", "buf" } },
	{ .system = "ftrace", .name = "hwlat", .way = KERNEL_TEXT_WHOLE, .print = print_hwlat,
	  .raw = "u1d2d3n4u0",
	  .fields = { "seqnum", "duration", "outer_duration", "tv_sec", "tv_nsec", "?count",
		      "?nmi_count", "?nmi_total_ts" } },
	{ .system = "ftrace", .name = "osnoise", .way = KERNEL_TEXT_WHOLE, .print = print_osnoise,
	  .raw = "d0u1u2u3u4u5u6u7",
	  .fields = { "runtime", "noise", "max_sample", "hw_count", "nmi_count", "irq_count",
		      "softirq_count",
		      "thread_count" } },
	{ .system = "ftrace", .name = "timerlat", .way = KERNEL_TEXT_WHOLE, .print = print_timerlat,
	  .raw = "u0d1u2",
	  .fields = { "seqnum", "context", "timer_latency" } },
	{ .system = "ftrace", .name = "branch", .way = KERNEL_TEXT_WHOLE, .print = print_branch,
	  .fields = { "line", "func", "file", "correct" } },
	{ .system = "ftrace", .name = "mmiotrace_rw", .way = KERNEL_TEXT_WHOLE, .alone = true,
	  .print = print_mmio_rw,
	  .fields = { "phys", "value", "pc", "map_id", "opcode", "width" } },
	{ .system = "ftrace", .name = "mmiotrace_map", .way = KERNEL_TEXT_WHOLE, .alone = true,
	  .print = print_mmio_map,
	  .fields = { "phys", "virt", "len", "map_id", "opcode" } },
	{ .system = "ftrace", .name = "context_switch", .way = KERNEL_TEXT_WHOLE,
	  .print = print_switch,
	  .raw = "d0d1s2d6d3d4S5", .hex = true,
	  .fields = SWITCH_FIELDS },
	{ .system = "ftrace", .name = "wakeup", .way = KERNEL_TEXT_WHOLE, .print = print_wakeup,
	  .raw = "d0d1+2d6d3d4S5", .hex = true,
	  .fields = SWITCH_FIELDS },
	{ 0 }
};
