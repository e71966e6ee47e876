/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_pass - the pass over all lines of a text: finds the names of events, tasks and functions,
 * where parts begin, and what each part has for each CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"
#include "src/base/pid_bits.h"

#define MAX_NAMES	(1u << 20)	/* most names of tasks */
#define GRAPH_COMM	7u		/* bytes of a name in function_graph's lines */
#define LATENCY_COMM	8u		/* in those of latency format */
#define MOST_SHOWN	120u		/* bytes of a line that is not understood */
#define MAX_COMM	15u		/* bytes of a name in a record */
/* Lines about lost events cut pages until there are so many: 4 times those of 64 KiB, and some. */
#define MORE_PAGES	4u
#define MIN_PAGES	4096u
/* Bytes of a page's records without the lines and strings in them: these need no more than rest. */
#define MOST_FIXED	(LINE_RECORDS_BYTES / 2)
/* A part has so much text for each CPU, or a block of it; less, if a page has more than these. */
#define CPU_BYTES	(8u << 10)
#define FEW_FIXED	(192u << 10)
#define FEW_LINES	(256u << 10)
#define FIXED_BYTES	96u		/* at most: of a record without fields */

#define NR_BODIES	512u
#define STAMP_BITS	59		/* bits of a record's stamp */

/* What the page has for a CPU so far. */
struct line_cpu {
	struct page_sum	 sum;
	uint32_t	 fixed, lines;	/* bytes, at most */
	struct text	 rows;		/* by line_page_put() */
	uint64_t	 rows_end;	/* bytes of the file before the end of the last one */
	uint64_t	 next_pid;	/* of perf script's last switch; 0: unknown, else + 1 */
	uint16_t	*types;		/* owned, [sum.events]: of its events, their ids */
	uint32_t	 cap_types;
	bool		 is_in_page;
};

/* What an event has behind its name: the names of tasks in it are all known. */
struct line_body {
	const struct line_type *type;	/* NULL: none */
	uint32_t	 told;		/* as nr_told of the file: later names may differ */
	uint32_t	 len;
	char		 text[112];
};

struct line_pass {
	struct line_file *file;
	struct line_rows *reader;	/* owned */
	struct line_state at;		/* the next block */
	uint64_t	 from;		/* where the part begins */
	bool		 is_in_part;
	bool		 is_full;	/* a page of the part has much */
	struct line_cpu	*cpus[LINE_MAX_CPU + 1];	/* owned; NULL: there is no line of it */
	unsigned int	 nr_in_part;
	struct line_cpu	*in_part[LINE_MAX_CPU + 1];	/* CPUs with lines in the part */
	uint16_t	 counts[UINT16_MAX + 1];	/* by type, of a page; 0 between pages */
	struct line_body bodies[NR_BODIES];	/* by their hashes */
	struct line_type *calls[2][2];	/* by line_call_type(); NULL: more samples are needed */
};

/* --- names ---------------------------------------------------------------------------------- */

struct text_slice line_row_name(const struct line_file *file, const struct text_line *line,
				const struct line_row *row, char buf[LINE_NAME_MAX],
				struct text_slice *body)
{
	*body = line->text;
	if (line->kind == TEXT_LINE_PLAIN)
		return slice_of("line");
	if (row->call) {
		*body = line->line;
		return line_call_type(row->call->parts.kind == TEXT_CALL_EXIT,
				      row->call->parts.caller.len);
	}
	return line_event_name(line, file->info.header.tracer, buf, body);
}

/* "+0xd2/0x140" behind the name of a function: its size. */
static void learn_size(struct line_file *file, uint32_t symbol, const char *s, size_t len)
{
	const char *slash = len && *s == '+' ? memchr(s, '/', len) : NULL;
	uint64_t bytes;

	if (!slash || (symbol < file->nr_symbol_bytes && file->symbol_bytes[symbol]))
		return;
	len -= (size_t)(slash + 1 - s);
	bytes = begins_with(slice(slash + 1, len), "0x") ?
			digits_of(slice(slash + 3, len - 2), 16, NULL) :
			0;
	mem_reach(&file->symbol_bytes, &file->nr_symbol_bytes, symbol);
	file->symbol_bytes[symbol] = bytes < LINE_SYMBOL_BYTES ? (uint32_t)bytes : 0;
}

static void set_section(struct line_file *file, uint32_t symbol, enum line_section section)
{
	mem_reach(&file->sections, &file->nr_sections, symbol);
	file->sections[symbol] = (uint8_t)section;
}

static uint32_t add_symbol(struct line_file *file, struct text_slice name)
{
	enum line_section section;

	uint32_t known = line_names_find(&file->symbols, name);

	if (known == LINE_NO_SYMBOL && file->symbols.nr < LINE_MAX_SYMBOLS) {
		name.s = arena_strndup(&file->arena, name.s, name.len);
		line_names_add(&file->symbols, name);
		known = file->symbols.nr - 1;
		section = line_symbol_section(name);
		if (section)
			set_section(file, known, section);
	}
	return known;
}

uint32_t line_pass_symbol(struct line_pass *pass, struct text_slice text)
{
	struct line_file *file = pass->file;
	char buf[LINE_SYMBOL_MAX];
	struct text_slice behind, name = line_symbol_name(text, buf, &behind);
	uint32_t known;
	uint64_t number;

	if (!name.len || *name.s == '<' || line_symbol_is_number(name, &number))
		return LINE_NO_SYMBOL;
	known = add_symbol(file, name);
	if (known != LINE_NO_SYMBOL)
		learn_size(file, known, behind.s, behind.len);
	return known;
}

void line_pass_irqentry(struct line_pass *pass, uint32_t symbol)
{
	if (symbol != LINE_NO_SYMBOL)
		set_section(pass->file, symbol, LINE_IRQENTRY);
}

static struct line_task *find_task(struct line_file *file, int pid)
{
	bool is_new;
	uint32_t i = number_set_add(&file->pids, (uint32_t)pid, &is_new);

	mem_reach(&file->tasks, &file->nr_tasks, i);
	return &file->tasks[i];
}

/* Some lines cut names: is it such a part of the name that is known? */
static bool is_cut(const struct line_file *file, struct text_slice comm, struct text_slice known)
{
	return ((file->info.is_graph && comm.len == GRAPH_COMM) ||
		(file->info.is_relative && comm.len == LATENCY_COMM)) &&
	       known.len > comm.len && !memcmp(known.s, comm.s, comm.len);
}

/*
 * @where: lines begin with the name that the task had at last, or when they were written; their
 * fields have the name of that moment.  So each of both is compared with names from the same place.
 * A name of a field is told twice: what lasts wins over a name of the same moment.
 * Return: it is known; the same tells nothing until nr_told changes.
 */
static bool learn_task(struct line_file *file, int pid, struct text_slice comm, uint64_t ts,
		       enum line_name_place where)
{
	struct line_task_name *last;

	if (pid <= 0 || !comm.len || file->info.nr_names >= MAX_NAMES)
		return true;
	last = find_task(file, pid)->last;
	if (where == LINE_NAME_HEAD && is_cut(file, comm, last[LINE_NAME_FIELD].name))
		return false;
	last += where;
	if (!slice_same(last->name, comm)) {
		*last = (struct line_task_name){
			.name = { arena_strndup(&file->arena, comm.s, comm.len), comm.len }
		};
		file->nr_told++;
	} else if (where == LINE_NAME_HEAD || last->told > 1) {
		return true;
	} else if (last->ts == ts) {
		return false;
	}
	last->told++;
	last->ts = ts;
	mem_grow(&file->names, file->info.nr_names, &file->cap_names);
	file->names[file->info.nr_names++] = (struct source_name){
		.pid = pid, .ts = ts, .name = last->name.s, .len = (unsigned int)last->name.len };
	return false;
}

static inline void learn_head(struct line_file *file, const struct text_line *line, uint64_t ts)
{
	if (line->head && line->head->told == file->nr_told)
		return;
	if ((*line->comm.s == '<' || learn_task(file, line->pid, line->comm, ts, LINE_NAME_HEAD)) &&
	    line->head)
		line->head->told = file->nr_told;
}

static bool learn_pairs(struct line_file *file, const struct line_type *type,
			const struct line_values *values, int64_t of_pid, uint64_t ts)
{
	bool is_known = true;

	for (unsigned int i = 0; i < type->nr_pairs; i++) {
		struct text_slice comm = values->v[type->pairs[i].comm];
		unsigned int field = type->pairs[i].pid;
		int64_t pid = of_pid;
		size_t end;

		is_known &= field < type->nr_fields;
		if (!comm.s ||
		    (field < type->nr_fields &&
		     (!values->v[field].s || !line_number(values->v[field], &pid, &end))))
			continue;
		if (comm.len > MAX_COMM)
			comm.len = MAX_COMM;
		is_known &= learn_task(file, (int)pid, comm, ts, LINE_NAME_FIELD);
	}
	return is_known;
}

/* The bytes of a text that tell the names, if the pattern of the last one fits it. */
static size_t names_length(const struct line_type *type, struct text_slice body)
{
	const struct line_piece *behind = type->last ? type->last->behind : NULL;
	const char *at = body.s, *end = body.s + body.len;

	for (; behind && (at = memchr(at, *behind->before, (size_t)(end - at))); at++)
		if ((size_t)(end - at) >= behind->len && !memcmp(at, behind->before, behind->len))
			return (size_t)(at - body.s) + behind->len;
	return body.len;
}

/* trace-cmd report -R prints a state as a number.  The highest one shows which kernel ran. */
static void learn_state(struct line_file *file, struct text_slice value)
{
	int64_t state;
	size_t end;

	if (value.s && line_number(value, &state, &end) && state > file->info.highest_state)
		file->info.highest_state = state;
}

/* The names of tasks and functions.  A body that told nothing new tells nothing again. */
static void learn_values(struct line_pass *pass, struct line_type *type, struct text_slice body,
			 int pid, uint64_t ts)
{
	struct line_file *file = pass->file;
	size_t len = names_length(type, body), needed = body.len;
	struct line_body *same = &pass->bodies[index_map_hash_bytes(body.s, len) % NR_BODIES];
	struct line_values values;

	if (same->type == type && same->told == file->nr_told && same->len == len &&
	    !memcmp(same->text, body.s, len))
		return;
	type->last = line_type_values(type, body, &values);
	for (unsigned int i = 0; i < type->nr_fields && type->has_symbols; i++)
		if (type->fields[i].kind == LINE_SYMBOL && values.v[i].s)
			line_pass_symbol(pass, values.v[i]);
	if (type->state < type->nr_fields)
		learn_state(file, values.v[type->state]);
	if (type->last && type->last->behind && values.v[type->last->behind->field].s)
		needed = (size_t)(values.v[type->last->behind->field].s - body.s);
	if (!learn_pairs(file, type, &values, pid, ts) || len > sizeof(same->text) || len != needed)
		return;
	same->type = type;
	same->told = file->nr_told;
	same->len = (uint32_t)len;
	memcpy(same->text, body.s, len);
}

/* --- sums ----------------------------------------------------------------------------------- */

/* What the page has for a CPU: nothing so far if this is its first line there. */
static struct line_cpu *cpu_of_page(struct line_pass *pass, int nr)
{
	struct line_file *file = pass->file;
	struct line_cpu *cpu = pass->cpus[nr];

	if (!cpu) {
		cpu = pass->cpus[nr] = mem_alloc(sizeof(*cpu));
		file->cpus[nr] = true;
		if ((unsigned int)nr >= file->info.nr_cpus)
			file->info.nr_cpus = (unsigned int)nr + 1;
	}
	if (!cpu->is_in_page) {
		cpu->is_in_page = true;
		pass->in_part[pass->nr_in_part++] = cpu;
		cpu->fixed = cpu->lines = 0;
		cpu->rows.len = 0;
		cpu->rows_end = pass->from;
		cpu->sum = (struct page_sum){ .cpu = (uint16_t)nr };
	}
	return cpu;
}

static inline void count_event(struct line_cpu *cpu, const struct line_type *type, int pid,
			       uint64_t ts)
{
	struct page_sum *sum = &cpu->sum;

	if (pid < 0)
		sum->has_first = true;
	else
		sum->pids |= pid_bits(pid);
	mem_grow(&cpu->types, sum->events, &cpu->cap_types);
	cpu->types[sum->events] = (uint16_t)type->id;
	if (!sum->events++)
		sum->first = sum->last = ts;
	if (ts < sum->last)
		sum->is_backwards = true;
	else
		sum->last = ts;
	cpu->fixed += FIXED_BYTES + type->most;
}

static int by_type(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* How many events of each type the page has, by their ids. */
static void count_types(struct line_pass *pass, struct line_cpu *cpu)
{
	struct line_file *file = pass->file;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < cpu->sum.events; i++)
		if (!pass->counts[cpu->types[i]]++)
			cpu->types[nr++] = cpu->types[i];
	if (nr > 1)
		qsort(cpu->types, nr, sizeof(*cpu->types), by_type);
	for (uint32_t i = 0; i < nr; i++) {
		mem_grow(&file->counts, file->nr_counts, &file->cap_counts);
		file->counts[file->nr_counts++] = (struct type_count){
			cpu->types[i], pass->counts[cpu->types[i]]
		};
		pass->counts[cpu->types[i]] = 0;
	}
	cpu->sum.nr_counts = (uint16_t)nr;
}

/* The part is read: keep what it has for each CPU. */
static void end_part(struct line_pass *pass)
{
	struct line_file *file = pass->file;

	for (unsigned int i = 0; i < pass->nr_in_part; i++) {
		struct line_cpu *cpu = pass->in_part[i];
		uint64_t first, last;

		cpu->is_in_page = false;
		cpu->sum.counts = file->nr_counts;
		/* records tell a stamp of more bits only from one before that is not higher */
		first = cpu->sum.first >> STAMP_BITS;
		last = cpu->sum.last >> STAMP_BITS;
		cpu->sum.is_unsure = last && (cpu->sum.is_backwards || first != last);
		count_types(pass, cpu);
		mem_grow(&file->pages, file->nr_pages, &file->cap_pages);
		file->pages[file->nr_pages++] = (struct line_page){
			.sum = cpu->sum, .bytes = (uint32_t)cpu->rows.len,
			.rows = arena_copy(&file->arena, cpu->rows.data, cpu->rows.len)
		};
	}
	pass->nr_in_part = 0;
}

/* --- lines ---------------------------------------------------------------------------------- */

/* Only the first stamp of a page has all 64 bits. */
static bool is_far(const struct line_pass *pass, const struct page_sum *sum, uint64_t ts)
{
	return (ts ^ sum->first) >> STAMP_BITS && (sum->events || sum->is_lost) &&
	       pass->reader->cuts;
}

bool line_pass_ends(const struct line_pass *pass, int cpu, uint64_t ts)
{
	const struct line_cpu *of = pass->cpus[cpu];

	return of && of->is_in_page && (of->fixed > MOST_FIXED || is_far(pass, &of->sum, ts));
}

void line_pass_end_row(struct line_pass *pass)
{
	struct line_rows *r = pass->reader;
	const struct line_row *row = &r->row;
	struct line_cpu *cpu = pass->cpus[row->cpu];
	uint64_t from;

	if (!r->has_row)
		return;
	from = r->text.from + (uint64_t)(row->all.s - r->text.s);
	line_page_put(&cpu->rows, from - cpu->rows_end, row);
	cpu->rows_end = from + row->all.len;
	cpu->lines += (uint32_t)row->all.len;
	pass->is_full |= cpu->lines > FEW_LINES || cpu->fixed > FEW_FIXED;
}

bool line_pass_known(struct line_pass *pass, const struct text_line *line)
{
	struct line_file *file = pass->file;
	struct line_rows *r = pass->reader;
	struct line_row *row = &r->row;
	struct line_type *type = line->seen->type;
	struct line_cpu *cpu = type && line->cpu <= LINE_MAX_CPU ? pass->cpus[line->cpu] : NULL;
	uint64_t ts;

	if (!cpu || !cpu->is_in_page || cpu->fixed > MOST_FIXED || r->after.is_before)
		return false;
	ts = line_stamp(&file->info, line, r->after.ts);
	if (is_far(pass, &cpu->sum, ts))
		return false;
	r->after.ts = ts;
	r->after.cpu = line->cpu;
	r->after.pid = line->pid;
	line_pass_end_row(pass);
	row->kind = line->kind;
	row->is_sample = false;
	row->all = line->line;
	row->ts = ts;
	row->own_ts = line_stamp(&file->info, line, 0);
	row->cpu = line->cpu;
	row->pid = row->own_pid = line->pid;
	row->call = NULL;
	r->has_events = true;
	count_event(cpu, type, line->pid, ts);
	if (type->has_symbols || type->nr_pairs)
		learn_values(pass, type, line_event_body(line), line->pid, ts);
	learn_head(file, line, ts);
	file->info.events++;
	return true;
}

/* Lost events before all others of the page; what follows at once is a part of the same gap. */
static void lost_row(struct page_sum *sum, const struct line_row *row)
{
	if (sum->is_lost)
		return;
	sum->is_lost = true;
	sum->lost = row->lost;
	sum->first = sum->last = row->ts;
}

/*
 * If perf recorded some tasks only, the idle task has no events, and most switches come from
 * another task than the one that the CPU last switched to.
 */
static void see_sample(struct line_file *file, struct line_cpu *cpu, const struct line_type *type,
		       int pid, struct text_slice body)
{
	struct text_slice prev, next;

	file->has_idle |= !pid;
	if (strcmp(type->name, "sched_switch") != 0 || !slice_after(body, "prev_pid=", &prev) ||
	    !slice_after(body, "next_pid=", &next))
		return;
	if (cpu->next_pid)
		file->switches[cpu->next_pid == digits_of(prev, 10, NULL) + 1]++;
	cpu->next_pid = digits_of(next, 10, NULL) + 1;
}

/* The type of an entry or exit: most lines of a text are such. */
static struct line_type *call_type(struct line_pass *pass, bool is_exit, bool has_caller,
				   struct text_slice line)
{
	struct line_type *type = pass->calls[is_exit][has_caller];

	if (type)
		return type;
	type = line_types_learn(&pass->file->types, line_call_type(is_exit, has_caller), line);
	if (type && type->lines >= LINE_SAMPLES)
		pass->calls[is_exit][has_caller] = type;
	return type;
}

void line_pass_row(struct line_pass *pass, const struct text_line *line, const struct line_row *row)
{
	struct line_file *file = pass->file;
	struct line_cpu *cpu = cpu_of_page(pass, row->cpu);
	char buf[LINE_NAME_MAX];
	struct text_slice body = line->line, name = nothing;
	struct line_type *type;

	if (line->kind == TEXT_LINE_LOST) {
		lost_row(&cpu->sum, row);
		return;
	}
	if (row->call) {
		type = call_type(pass, row->call->parts.kind == TEXT_CALL_EXIT,
				 row->call->parts.caller.len, body);
	} else {
		name = line_row_name(file, line, row, buf, &body);
		type = line_types_learn(&file->types, name, body);
	}
	if (!type)
		return;
	type->has_flags |= line->flags.len != 0;
	if (line->is_sample)
		see_sample(file, cpu, type, line->pid, body);
	if (line->seen && name.s == line->event.s) {
		line->seen->is_whole = type->is_known;
		if (type->lines >= LINE_SAMPLES)
			line->seen->type = type;
	}
	count_event(cpu, type, row->pid, line_row_stamp(file, row, false));
	if (line_row_has_exit(row)) {
		const struct line_type *exit = call_type(pass, true, false, body);

		if (exit)
			count_event(cpu, exit, row->pid, line_row_stamp(file, row, true));
	}
	if (type->has_symbols || type->nr_pairs)
		learn_values(pass, type, body, row->pid, row->ts);
	learn_head(file, line, row->ts);
	if (type->is_call && type->lines == 1)	/* "read", of sys_enter_read and sys_exit_read */
		type->call_nr = line_pass_symbol(pass, slice_of(strchr(type->name + 4, '_') + 1));
	file->info.without_cpu += line->kind != TEXT_LINE_PLAIN && line->cpu < 0;
	file->info.without_task += line->kind != TEXT_LINE_PLAIN && line->cpu < 0 && line->pid < 0;
	file->info.events += line->kind != TEXT_LINE_PLAIN;
}

void line_pass_frame(struct line_pass *pass, const struct line_row *row, const char *stack,
		     const struct text_call *frame)
{
	struct line_type *type = NULL;
	char buf[LINE_FRAME_MAX];
	uint64_t offset;

	add_symbol(pass->file, line_frame(frame, buf, &offset));
	if (stack)
		type = line_types_learn(&pass->file->types, slice_of(stack), nothing);
	if (type)
		count_event(pass->cpus[row->cpu], type, row->pid, row->ts);
}

void line_pass_switch(struct line_pass *pass, const struct text_line *line, uint64_t ts)
{
	if (*line->from_comm.s != '<')
		learn_task(pass->file, line->from_pid, line->from_comm, ts, LINE_NAME_HEAD);
	if (*line->comm.s != '<')
		learn_task(pass->file, line->pid, line->comm, ts, LINE_NAME_HEAD);
	if (line->cpu <= LINE_MAX_CPU && !pass->file->first_pids[line->cpu])
		pass->file->first_pids[line->cpu] = line->from_pid + 1;
}

void line_pass_unknown(struct line_pass *pass, struct text_slice line)
{
	struct line_file *file = pass->file;

	if (file->info.first_unknown.len)
		return;
	if (line.len > MOST_SHOWN)
		line.len = MOST_SHOWN;
	file->info.first_unknown = slice(arena_strndup(&file->arena, line.s, line.len), line.len);
}

/* --- the pass ------------------------------------------------------------------------------- */

/* The first tasks of CPUs are known, or will not be. */
static void name_first(struct line_file *file)
{
	for (uint64_t i = 0; i < file->nr_pages; i++) {
		struct page_sum *sum = &file->pages[i].sum;
		struct line_row row = { .cpu = sum->cpu, .pid = -1 };
		int pid = line_row_pid(file, &row);

		if (!sum->has_first)
			continue;
		sum->pids |= pid_bits(pid);
		if (pid >= LINE_NO_TASK)
			learn_task(file, pid, slice_of("unknown"), 0, LINE_NAME_HEAD);
	}
}

/* Rows before the first one with a time have its time, CPU and task. */
static struct line_state begin(const struct line_file *file)
{
	const struct text_line *line = &file->first;
	struct line_state at = { .is_before = true, .from = file->start };

	if (line->time_kind == TEXT_TIME_NONE)
		return at;
	at.ts = line_stamp(&file->info, line, 0);
	at.cpu = line->cpu >= 0 && line->cpu <= LINE_MAX_CPU ? line->cpu : 0;
	at.pid = line->pid >= 0 ? line->pid : 0;
	return at;
}

struct line_pass *line_pass_new(struct line_file *file)
{
	struct line_pass *pass = mem_alloc(sizeof(*pass));

	pass->file = file;
	pass->reader = line_rows_new(file, pass);
	pass->at = begin(file);
	if (file->info.is_latency)
		learn_task(file, file->info.header.pid, file->info.header.comm, 0, LINE_NAME_FIELD);
	return pass;
}

void line_pass_free(struct line_pass *pass)
{
	for (unsigned int i = 0; pass && i < pass->file->info.nr_cpus; i++) {
		if (pass->cpus[i]) {
			text_fini(&pass->cpus[i]->rows);
			free(pass->cpus[i]->types);
		}
		free(pass->cpus[i]);
	}
	if (pass)
		line_rows_free(pass->reader);
	free(pass);
}

static void begin_part(struct line_pass *pass)
{
	struct line_file *file = pass->file;

	mem_grow(&file->parts, file->info.nr_parts, &file->cap_parts);
	file->parts[file->info.nr_parts++] = (struct line_part){ pass->at.from, pass->at.above,
								 file->nr_pages };
	pass->from = pass->at.from;
	pass->is_full = pass->reader->has_events = false;
}

/* Of many CPUs, a part has several blocks: else what is kept would grow with lines, and CPUs. */
static bool is_whole(const struct line_pass *pass)
{
	return pass->reader->ends_part || !pass->reader->cuts || pass->is_full ||
	       pass->reader->after.from - pass->from >=
		       pass->file->info.nr_cpus * (uint64_t)CPU_BYTES ||
	       pass->reader->after.from >= pass->file->end;
}

int line_pass_run(struct line_pass *pass, uint64_t to, uint64_t *done, struct ft_error *err)
{
	struct line_file *file = pass->file;
	uint64_t most = file->size / LINE_PAGE_BYTES * MORE_PAGES + MIN_PAGES;

	while (pass->at.from < to) {
		uint64_t left = file->end - pass->at.from;

		if (!pass->is_in_part)
			begin_part(pass);
		pass->reader->cuts = file->info.nr_parts < most;
		if (!line_rows_read(pass->reader, &pass->at,
				    pass->at.from +
					    (left < LINE_PAGE_BYTES ? left : LINE_PAGE_BYTES)))
			return ft_error_set(err, FT_E_IO, (int64_t)pass->at.from,
					    "cannot read the text");
		pass->is_in_part = !is_whole(pass);
		if (!pass->is_in_part)
			end_part(pass);
		file->info.unknown += pass->reader->unknown;
		file->info.cut += pass->reader->cut;
		pass->at = pass->reader->after;
	}
	*done = pass->at.from;
	file->info.is_of_tasks = file->info.is_perf &&
				 (file->info.without_cpu ||
				  (!file->has_idle && file->switches[0] > file->switches[1]));
	if (*done >= file->end)
		name_first(file);
	return 0;
}
