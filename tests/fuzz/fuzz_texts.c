/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_texts - the bytes as kallsyms, saved_cmdlines, saved_tgids, functions of user space, BTF,
 * tasks and machines that a recorder saw, latency text and foreign text for the screen.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/btf.h"
#include "parsers/types/comm_table.h"
#include "parsers/types/kallsyms.h"
#include "parsers/types/machine.h"
#include "parsers/types/tgid_table.h"
#include "parsers/types/user_symbols.h"
#include "parsers/types/who_table.h"
#include "parsers/lines/text_trace.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "tests/fuzz/structure.h"
#include "tests/lib/made_btf.h"

const char fuzz_name[] = "fuzz_texts";

/* Of BTF, which begins with this number; else of a text. */
size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	return size > 2 && data[0] == 0x9f && data[1] == 0xeb ?
		       fuzz_pieces_of_words(data, size, pieces) :
		       fuzz_pieces_of_text(data, size, pieces);
}

static uint64_t sum;

static void try_kallsyms(const char *text, size_t size)
{
	static const uint64_t addresses[] = { 0, 1, 0xffffffff81000000, 0xffffffff81000123,
					      UINT64_MAX };
	struct kallsyms *syms = kallsyms_new(text, size);

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct kallsyms_symbol symbol;

		if (kallsyms_find(syms, addresses[i], &symbol)) {
			assert(symbol.start <= addresses[i]);
			sum += strlen(symbol.name) + (symbol.module ? strlen(symbol.module) : 0);
		}
		if (kallsyms_find_as_tep(syms, addresses[i], &symbol))
			sum += strlen(symbol.name);
	}
	kallsyms_free(syms);
}

static void try_cmdlines(const char *text, size_t size)
{
	struct comm_table *table = comm_table_new();

	comm_table_saved(table, text, size);
	for (int pid = -1; pid < 10; pid++)
		sum += strlen(comm_table_at(table, pid, 0));
	comm_table_free(table);
}

static void try_tgids(const char *text, size_t size)
{
	struct tgid_table *table = tgid_table_new();
	int64_t from, to;
	int tgid;

	tgid_table_saved(table, text, size);
	for (int pid = -1; pid < 10; pid++)
		sum += tgid_table_at(table, pid, 0, &tgid, &from, &to);
	tgid_table_free(table);
}

static int64_t same(const void *arg, uint64_t raw)
{
	(void)arg;
	return (int64_t)raw;
}

static void add_span(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	int64_t *next = arg;

	(void)pid;
	assert(from <= to && (from == INT64_MIN || from == *next));
	*next = to == INT64_MAX ? 0 : to + 1;
	sum += (who->exe ? strlen(who->exe) : 0) + (who->cmdline ? strlen(who->cmdline) : 0) +
	       (who->user ? strlen(who->user) : 0) + (who->cgroup ? strlen(who->cgroup) : 0);
}

static void try_who(const char *text, size_t size)
{
	struct tgid_table *tgids = tgid_table_new();
	struct who_table *table = who_table_new(tgids);
	int64_t next = 0;
	struct ft_error err;

	if (who_table_load(table, text, size, false, same, NULL, &err))
		assert(err.offset >= 0 && (uint64_t)err.offset < size);
	tgid_table_born(tgids, 5, 9, 4, 0);
	who_table_exec(table, 5, 10, "/bin/x", 6);
	who_table_each(table, add_span, &next);
	who_table_free(table);
	tgid_table_free(tgids);
}

static void try_machine(const char *text, size_t size)
{
	struct machine m = { 0 };
	struct ft_error err;

	if (machine_load(&m, text, size, &err))
		assert(!m.nr && err.offset >= 0 && (uint64_t)err.offset < size);
	for (unsigned int i = 0; i < m.nr; i++)
		assert(machine_cpu(&m, m.cpus[i].cpu) == &m.cpus[i] && m.cpus[i].core < (int)m.nr &&
		       m.cpus[i].l3 < (int)m.nr);
	machine_fini(&m);
}

/* A place that is found is in the mapping, and in the function. */
static void try_users(const char *text, size_t size, bool procmaps)
{
	static const uint64_t addresses[] = { 0, 0x1000, 0x1234, 0x400100, UINT64_MAX };
	struct user_symbols *symbols = user_symbols_new();
	struct text out = { 0 };

	(procmaps ? user_symbols_add_procmaps : user_symbols_add)(symbols, text, size);
	user_symbols_sort(symbols);
	for (size_t i = 0; i < 3 * sizeof(addresses) / sizeof(addresses[0]); i++) {
		uint64_t address = addresses[i / 3];
		const struct user_time when = { i % 3 * 100, i % 2 * 50, 150 };
		const struct user_map *map = user_symbols_map(symbols, 7, &when, address);
		struct user_place place;

		assert(!map || map == &user_map_unsure ||
		       (map->tgid == 7 && map->from <= address && address < map->to));
		if (!user_symbols_place(symbols, map, address, &place))
			continue;
		assert(map && place.place - map->place == address - map->from);
		assert(!place.function || place.offset <= place.place);
		user_place_text(&place, i & 1, &out);
		user_file_line(place.file, &out);
		user_map_line(map, &out);
	}
	sum += out.len;
	text_fini(&out);
	user_symbols_free(symbols);
}

static void try_btf(const char *bytes, size_t size)
{
	static const char *const functions[] = { "f", "int", "", "one" };
	struct btf *btf = btf_new(bytes, size);
	struct btf_argument args[6];

	for (size_t i = 0; btf && i < sizeof(functions) / sizeof(functions[0]); i++) {
		int nr = btf_arguments(btf, functions[i], i % 2 ? BTF_FIRST : BTF_AS_LIBTRACEEVENT,
				       args, 6);

		for (int arg = 0; arg < nr && arg < 6; arg++) {
			const char *name = btf_enum_name(btf, &args[arg], arg);

			sum += strlen(args[arg].name) + (name ? strlen(name) : 0);
		}
	}
	btf_free(btf);
}

static void assert_inside(struct text_slice part, const char *text, size_t size)
{
	assert(part.s);
	assert(!part.len || (part.s >= text && part.s <= text + size &&
			     part.len <= (size_t)(text + size - part.s)));
}

static void try_lines(const char *text, size_t size)
{
	struct text_trace_header header;
	struct text_line line;
	uint64_t pos = 0;

	text_trace_header(text, size, &header);
	assert(header.nr_flags <= TEXT_TRACE_MAX_FLAGS);
	for (int i = 0; i < header.nr_flags; i++)
		assert_inside(header.flag_names[i], text, size);
	while (pos < size) {
		uint64_t next = text_trace_line(text, size, pos, &line);

		assert(next > pos && next <= size);
		assert_inside(line.line, text, size);
		assert_inside(line.comm, text, size);
		assert_inside(line.flags, text, size);
		assert_inside(line.text, text, size);
		assert_inside(line.event, text, size);
		assert(line.cpu >= -1 && line.pid >= -1 && line.duration_ns >= -1);
		assert(line.kind != TEXT_LINE_PLAIN ||
		       (line.cpu == -1 && line.time_kind == TEXT_TIME_NONE));
		pos = next;
	}
}

/* Whatever goes in, what comes out is UTF-8 without control characters. */
static void try_printable(const char *text, size_t size)
{
	struct text out = { 0 };
	size_t at = 0;

	text_printable(&out, text, size);
	while (at < out.len) {
		uint32_t cp;

		at += text_decode(out.data + at, out.len - at, &cp);
		assert(cp >= 0x20 && cp != 0x7f && (cp < 0x80 || cp > 0x9f));
		assert(cp < 0x202a || cp > 0x202e);
		assert(cp < 0x2066 || cp > 0x2069);
	}
	text_clear(&out);
	text_json(&out, text, size);
	text_csv(&out, text, size);
	text_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);	/* not NUL-ended */

	assert(text);
	memcpy(text, data, size);
	try_kallsyms(text, size);
	try_cmdlines(text, size);
	try_tgids(text, size);
	try_who(text, size);
	try_machine(text, size);
	try_users(text, size, false);
	try_users(text, size, true);
	try_btf(text, size);
	try_lines(text, size);
	try_printable(text, size);
	free(text);
	return 0;
}

static const char *const seeds[] = {
	"0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\nffffffff81000100 t do_one\t[ext4]\n"
	"ffffffff81000100 T alias_of_it\nffffffffc0000000 b data\t[module]\n",
	"1 1\n2 1\n9 8\n\n3\n",
	"string 6\n/bin/x\nstring 2\n/a\nuser 0 1\ntask 1 2 5 4 -1 0 1 2 2 0\nthread 3 3 6 5 2\ntask 8 9 5 1 7 0 2 1 1 1\n",
	"memory 8192\nvirt kvm\ncpu 0 0 0 0 0 0 0 0 1024 -1 -1\ncpu 3 3 0 0 0 1 3 0 512 1 2\n",
	"file ab12 offset /usr/lib/libfoo.so\nfile - address /bin/prog\nmap 7 1000-3000 0 0 18446744073709551615 0\n"
	"map 7 1100-1300 80 50 150 1\nmap 7 400000-500000 0 0 99 -\nname 0 200-280 foo\nname 1 1a0-1c0 ns::bar(int)\n",
	"7 2 /bin/prog\n1000 2000 /bin/prog\n400000 500000 /lib/a b.so\n",
	"1 init\n2 kthreadd\n3 a name\n4 \n5 \377\376\n",
	"# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 6.1.192\n"
	"# latency: 2439 us, #26/26, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
	"#    | task: trace-cmd-72 (uid:0 nice:0 policy:0 rt_prio:0)\n#  => started at: a\n#  => ended at:   b\n"
	"#                    _------=> CPU#            \n#                   / _-----=> irqs-off/BH-disabled\n"
	"trace-cm-72        0d....    1us : _raw_spin_lock_irqsave\n"
	"trace-cm-72        0d..1. 2440us+: tracer_hardirqs_on <-_raw_spin_unlock_irqrestore\n => release_pages\n"
	"  <idle>-0         0d.h1. -15.907us+: hrtimer_expire_entry: hrtimer=0 now=78964247875\n",
	"       71 us |   0)     wl-67      |  d..2. | + 11.523 us   |    nsec_to_clock_t();\n"
	"        1 us |   0)    <idle>-0    |  dNh5. |               |  /*        0:120:R   + [000] */\n",
	"       trace-cmd     178   1 9 00000001 00000000 [0227d32a] 87.853ms (+0.020ms): softirq_raise: vec=1\n"
	"       trace-cmd-245     [001] d.s3.            3: sched_waking: comm=rcu_preempt\n"
	"            bash-1994    (   1994) [000] d..1.  1.000001: sys_enter: NR 1\nCPU:1 [LOST 5 EVENTS]\n"
	"##### CPU 1 buffer started ####\n",
	"\033[31mred\033]0;t\007 \302\233 \342\200\256 \357\273\277 \364\217\277\277 \355\240\200 caf\303\251 \346\274\242",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct made_btf btf;

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
	made_btf_make(&btf);
	add(arg, btf.bytes, btf.len);
}
