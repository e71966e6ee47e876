/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/kernel_text_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/print/text_pattern.h"

#define MAX_ID		65535
#define PAGE		4096u

/* --- symbols ------------------------------------------------------------- */

/* Most events print no symbol: the table is read when the first one is asked for. */
static void find_addresses(const struct kernel_text *asks)
{
	static const char *const trampolines[] = { "arch_rethook_trampoline",
						   "__kretprobe_trampoline",
						   "kretprobe_trampoline" };
	struct kernel_text *kt = (struct kernel_text *)asks;

	if (atomic_load_explicit(&kt->has_addresses, memory_order_acquire))
		return;
	pthread_mutex_lock(&kt->lock);
	if (!atomic_load(&kt->has_addresses)) {
		/* Kernels built without data symbols list no _end: use the end of the start-up
		 * code. */
		if (!kallsyms_address(kt->syms, "_end", &kt->end) &&
		    kallsyms_address(kt->syms, "_einittext", &kt->end))
			kt->end += PAGE;
		for (size_t i = 0; i < sizeof(trampolines) / sizeof(trampolines[0]); i++)
			kallsyms_address(kt->syms, trampolines[i], &kt->trampolines[i]);
		atomic_store_explicit(&kt->has_addresses, true, memory_order_release);
	}
	pthread_mutex_unlock(&kt->lock);
}

/*
 * kallsyms does not say where the last symbol of the kernel and of each module ends: an address
 * past the kernel's _end, or far past a module's last symbol, has no symbol.  Nor has code that the
 * kernel generates for its tracers, although kallsyms lists it.
 */
static bool find_symbol(const struct kernel_text *kt, uint64_t address, struct kallsyms_symbol *s)
{
	if (!kallsyms_find(kt->syms, address, s))
		return false;
	find_addresses(kt);
	if (!s->module)
		return !kt->end || address < kt->end;
	return strncmp(s->module, "__builtin__", 11) != 0 &&
	       address < ((s->start + PAGE) & ~(uint64_t)(PAGE - 1));
}

static bool is_trampoline(const struct kernel_text *kt, uint64_t address)
{
	find_addresses(kt);
	for (size_t i = 0; i < sizeof(kt->trampolines) / sizeof(kt->trampolines[0]); i++)
		if (address && kt->trampolines[i] == address)
			return true;
	return false;
}

void kernel_text_symbol(const struct kernel_text *kt, uint64_t address, bool offset,
			struct text *out)
{
	struct kallsyms_symbol s;

	if (!find_symbol(kt, address, &s)) {
		text_printf(out, offset ? "0x%" PRIx64 : "0x%08" PRIx64, address);
		return;
	}
	text_add(out, s.name);
	if (!offset)
		return;
	text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64, address - s.start, s.end - s.start);
	if (s.module)
		text_printf(out, " [%s]", s.module);
}

void kernel_text_function(const struct kernel_text *kt, uint64_t address, struct text *out)
{
	struct kallsyms_symbol s;

	if (!find_symbol(kt, address, &s)) {
		text_printf(out, "0x%" PRIx64, address);
		return;
	}
	text_add(out, s.name);
	if (s.module)
		text_printf(out, " [%s]", s.module);
}

void kernel_add_ip(const struct kernel_call *c, uint64_t address, bool offset)
{
	const struct kernel_text *kt = c->kt;

	if (!address) {
		text_char(c->out, '0');
		return;
	}
	if (is_trampoline(kt, address))
		text_add(c->out, "[unknown/kretprobe'd]");
	else
		kernel_text_symbol(kt, address, offset, c->out);
	if (kt->options.sym_addr)
		text_printf(c->out, kt->long_size == 4 ? " <%08" PRIx64 ">" : " <%016" PRIx64 ">",
			    address);
}

void kernel_add_time(const struct kernel_text *kt, uint64_t ts, struct text *out)
{
	if (kt->options.counts) {
		text_printf(out, " %12" PRIu64, ts);
		return;
	}
	ts = (ts + 500) / 1000;
	text_printf(out, " %5" PRIu64 ".%06" PRIu64, ts / 1000000, ts % 1000000);
}

/* --- names and processes of tasks ----------------------------------------- */

static int compare_pid(const void *a, const void *b)
{
	const struct kernel_pid *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Lines "pid text"; if a pid is listed twice, the last one wins. */
static void read_pids(struct kernel_text *kt, enum trace_text kind, struct kernel_pids *pids)
{
	uint64_t size;
	const char *text = source_text(kt->file, kind, &size), *end = text + size;
	unsigned int cap = 0;

	for (const char *p = text; p < end;) {
		const char *line = memchr(p, '\n', (size_t)(end - p)), *stop = line ? line : end;
		char *name;
		long pid = strtol(p, &name, 10);

		if (name > p && name < stop && *name == ' ' && pid >= 0 && pid <= INT32_MAX) {
			mem_grow(&pids->of, pids->nr, &cap);
			pids->of[pids->nr].pid = (int)pid;
			pids->of[pids->nr++].text =
				arena_strndup(&kt->arena, name + 1,
					      strnlen(name + 1, (size_t)(stop - (name + 1))));
		}
		p = line ? line + 1 : end;
	}
	if (pids->nr)
		qsort(pids->of, pids->nr, sizeof(*pids->of), compare_pid);
}

static const char *text_of_pid(const struct kernel_pids *pids, int pid)
{
	struct kernel_pid key = { .pid = pid };
	const struct kernel_pid *found = pids->nr ? bsearch(&key, pids->of, pids->nr,
							    sizeof(*pids->of), compare_pid) :
						    NULL;

	return found ? found->text : NULL;
}

const char *kernel_text_comm(struct kernel_text *kt, int pid)
{
	const char *comm;

	if (!pid)
		return "<idle>";
	if (pid < 0)
		return "<XXX>";
	comm = text_of_pid(&kt->comms, pid);
	return comm ? comm : "<...>";
}

int kernel_text_tgid(const struct kernel_text *kt, int pid)
{
	const char *text = text_of_pid(&kt->tgids, pid);
	long tgid = text ? strtol(text, NULL, 10) : 0;

	return tgid > 0 && tgid <= INT32_MAX ? (int)tgid : 0;
}

/* --- types --------------------------------------------------------------- */

static bool name_matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(pattern, name, len - 1);
	return !strcmp(pattern, name);
}

/* If the type has the fields that the kind needs, store them in event->f and return true. */
static bool take_fields(struct kernel_event *event, const struct kernel_kind *kind)
{
	for (unsigned int i = 0; i < KERNEL_FIELDS && kind->fields[i]; i++) {
		bool optional = kind->fields[i][0] == '?';

		event->f[i] = event_type_field(event->type, kind->fields[i] + optional);
		if (!event->f[i] && !optional)
			return false;
	}
	return true;
}

static bool take_kind(struct kernel_event *event, const struct kernel_kind *kinds)
{
	for (const struct kernel_kind *k = kinds; k->name; k++) {
		if ((k->system && strcmp(k->system, event->type->system) != 0) ||
		    !name_matches(k->name, event->type->name))
			continue;
		if (take_fields(event, k)) {
			event->kind = k;
			return true;
		}
	}
	return false;
}

static struct kernel_event *make_event(struct kernel_text *kt, const struct event_type *type)
{
	struct kernel_event *event = arena_alloc(&kt->arena, sizeof(*event));

	event->type = type;
	if (!take_kind(event, kernel_own_kinds) && !take_kind(event, kernel_syscall_kinds) &&
	    !take_kind(event, kernel_probe_kinds))
		take_kind(event, kernel_blk_kinds);
	return event;
}

static const struct kernel_event *get_event(struct kernel_text *kt, const struct event_type *type)
{
	_Atomic(struct kernel_event *) *leaf;
	struct kernel_event *event;
	unsigned int id;

	if (!type || type->id < 0 || type->id > MAX_ID)
		return NULL;
	id = (unsigned int)type->id;
	leaf = atomic_load_explicit(&kt->leaves[id / KERNEL_IDS_PER_LEAF], memory_order_acquire);
	event = leaf ? atomic_load_explicit(&leaf[id % KERNEL_IDS_PER_LEAF], memory_order_acquire) :
		       NULL;
	if (event)
		return event;
	pthread_mutex_lock(&kt->lock);
	leaf = atomic_load_explicit(&kt->leaves[id / KERNEL_IDS_PER_LEAF], memory_order_acquire);
	if (!leaf) {
		leaf = arena_alloc(&kt->arena, KERNEL_IDS_PER_LEAF * sizeof(*leaf));
		atomic_store_explicit(&kt->leaves[id / KERNEL_IDS_PER_LEAF], leaf,
				      memory_order_release);
	}
	event = atomic_load_explicit(&leaf[id % KERNEL_IDS_PER_LEAF], memory_order_acquire);
	if (!event) {
		event = make_event(kt, type);
		atomic_store_explicit(&leaf[id % KERNEL_IDS_PER_LEAF], event, memory_order_release);
	}
	pthread_mutex_unlock(&kt->lock);
	return event;
}

/* --- opening ------------------------------------------------------------- */

struct kernel_text *kernel_text_new(const struct source *file, struct event_types *types,
				    const struct kallsyms *syms,
				    const struct kernel_text_options *options)
{
	const struct source_info *info = source_info(file);
	struct kernel_text *kt = mem_alloc(sizeof(*kt));
	const struct source_buffer *top = source_nr_buffers(file) ? source_buffer(file, 0) : NULL;
	uint64_t size;
	const char *text = source_text(file, TRACE_TEXT_PRINTK, &size);

	kt->file = file;
	kt->types = types;
	kt->syms = syms;
	if (options)
		kt->options = *options;
	kt->swap = info->big_endian != HOST_BIG_ENDIAN;
	kt->long_size = top && top->layout.long_size == 4 ? 4 : 8;
	kt->release = source_release(file);
	kt->printk = printk_formats_new(text, size);
	pthread_mutex_init(&kt->lock, NULL);
	read_pids(kt, TRACE_TEXT_CMDLINES, &kt->comms);
	read_pids(kt, TRACE_TEXT_TGIDS, &kt->tgids);
	return kt;
}

void kernel_text_free(struct kernel_text *kt)
{
	if (!kt)
		return;
	printk_formats_free(kt->printk);
	free(kt->comms.of);
	free(kt->tgids.of);
	arena_fini(&kt->arena);
	pthread_mutex_destroy(&kt->lock);
	free(kt);
}

/* --- printing ------------------------------------------------------------ */

enum kernel_text_way kernel_text_add(struct kernel_text *kt, const struct print_record *rec,
				     struct text *out)
{
	const struct kernel_event *event = get_event(kt, rec->type);
	struct kernel_call call = { .kt = kt, .event = event, .rec = rec, .out = out };

	if (!event || !event->kind)
		return KERNEL_TEXT_BY_FORMAT;
	event->kind->print(&call);
	return event->kind->way;
}

enum kernel_text_way kernel_text_pattern(struct kernel_text *kt, const struct event_type *type,
					 struct text_pattern *pattern)
{
	const struct kernel_event *event = get_event(kt, type);

	if (!event || !event->kind)
		return KERNEL_TEXT_BY_FORMAT;
	if (event->kind->way == KERNEL_TEXT_WHOLE && event->kind->pattern)
		event->kind->pattern(event, pattern);
	else if (event->kind->way == KERNEL_TEXT_WHOLE)
		text_pattern_any(pattern);
	return event->kind->way;
}

bool kernel_text_message(struct kernel_text *kt, const struct print_record *rec, struct text *out)
{
	const struct kernel_event *event = get_event(kt, rec->type);
	struct kernel_call call = { .kt = kt, .event = event, .rec = rec, .out = out };

	if (!event || !event->kind || !event->kind->message)
		return false;
	event->kind->message(&call);
	return true;
}

bool kernel_text_raw(struct kernel_text *kt, const struct print_record *rec, bool hex,
		     struct text *out)
{
	const struct kernel_event *event = get_event(kt, rec->type);
	struct kernel_call call = { .kt = kt, .event = event, .rec = rec, .out = out };

	if (!event || !event->kind || !event->kind->raw || (hex && !event->kind->hex))
		return false;
	kernel_add_raw(&call, hex);
	return true;
}

bool kernel_text_stands_alone(struct kernel_text *kt, const struct print_record *rec)
{
	const struct kernel_event *event = get_event(kt, rec->type);

	return event && event->kind && event->kind->alone;
}
