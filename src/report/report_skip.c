/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_skip.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/print/text_pattern.h"
#include "src/base/memory.h"
#include "src/filter/regex_literals.h"

#define TASKS		1024u		/* a power of two */
#define MANY_CPUS	64u
#define ENOUGH		100000u		/* records to look at before judging */
/* bytes after a record that an unterminated string may run into: print_run.c */
#define RECORD_TAIL	256u

/* State of an event type, in a byte. */
#define SET_MASK	0x03		/* number of the set of words that decides */
#define IN_STRINGS	0x08		/* they may occur in strings of the record */
#define IS_ENTRY	0x10		/* entry of a call: its line depends on the next record */
#define REMEMBERS	0x20
#define MAKE		0x40		/* its lines must be made */
#define KNOWN		0x80

_Static_assert(REGEX_LITERAL_SETS <= SET_MASK + 1 && REGEX_LITERAL_WORDS <= 8,
	       "sets have a number of two bits, words one of eight");

struct skip_word {
	const char	*s;		/* the literal */
	size_t		 len, rare;	/* rare: index of its rarest character */
};

struct symbols {			/* bits by word of a set: looked up in kallsyms; found
					 * there */
	uint8_t		 asked, there;
};

struct skip_task {
	const char	*comm;		/* NULL = unused */
	int		 pid;
	uint8_t		 sets;		/* bit n: the name contains a word of set n */
};

struct file {
	struct report_skip *skip;
	struct report_file *file;	/* borrowed */
	struct symbols	 symbols[REGEX_LITERAL_SETS];
	struct text	 prefix_chars;
	uint8_t		 types[65536];	/* by common_type; 0 = not known yet */
	struct skip_task tasks[TASKS];
};

struct skip_lane {
	struct file	*file;
	const struct report_cpu *cpu;	/* borrowed */
};

struct report_skip {
	struct regex_literals literals;
	struct skip_word words[REGEX_LITERAL_SETS][REGEX_LITERAL_WORDS];
	struct trace	*trace;		/* borrowed */
	unsigned int	 nr_files;
	struct file	*files;		/* owned */
	struct skip_lane *lanes;	/* owned, [nr_lanes] */
	unsigned int	 nr_lanes;
	uint64_t	 sifted, left;	/* records examined, and those of them that were left */
};

/* --- words --------------------------------------------------------------------- */

/* Letters are ordered by how common they are in names of tasks; all other characters are rarer. */
static size_t rarest(const char *s, size_t len)
{
	static const char common[] = "esairotnlcdupmhgbfywkvxzjq0123456789-/_";
	size_t best = 0, best_rank = 0;

	for (size_t i = 0; i < len; i++) {
		const char *at = memchr(common, s[i], sizeof(common) - 1);
		size_t rank = at ? (size_t)(at - common) : sizeof(common);

		if (rank > best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

static bool contains(const char *s, size_t len, const struct skip_word *word)
{
	const char *end = s + len, *p;

	if (len < word->len)
		return false;
	end -= word->len - word->rare - 1;
	for (s += word->rare; s < end && (p = memchr(s, word->s[word->rare], (size_t)(end - s)));
	     s = p + 1)
		if (!memcmp(p - word->rare, word->s, word->len))
			return true;
	return false;
}

static bool contains_any(const struct report_skip *skip, unsigned int set, const char *s,
			 size_t len)
{
	for (unsigned int i = 0; i < skip->literals.sets[set].nr; i++)
		if (contains(s, len, &skip->words[set][i]))
			return true;
	return false;
}

/* --- types --------------------------------------------------------------------- */

/* " [001]": one of the file's CPUs */
static void add_cpus(const struct report_skip *skip, const struct file *file,
		     struct text_pattern *p)
{
	unsigned int nr = 0, ends[MANY_CPUS];

	for (unsigned int i = 0; i < skip->nr_lanes; i++)
		nr += skip->lanes[i].file == file;
	if (nr > MANY_CPUS) {
		text_pattern_literal(p, " [", 2);
		text_pattern_chars(p, TEXT_PATTERN_NUMBER);
		text_pattern_literal(p, "]", 1);
		return;
	}
	nr = 0;
	for (unsigned int i = 0; i < skip->nr_lanes; i++) {
		unsigned int other;

		if (skip->lanes[i].file != file)
			continue;
		other = text_pattern_branch(p, false);
		text_pattern_literal(p, skip->lanes[i].cpu->text, skip->lanes[i].cpu->len);
		ends[nr++] = text_pattern_branch(p, true);
		text_pattern_set_target(p, other, text_pattern_nr(p));
	}
	for (unsigned int i = 0; i < nr; i++)
		text_pattern_set_target(p, ends[i], text_pattern_nr(p));
}

/* "            bash-1234  [001]  3716.849245: sched_switch:         ", and the text */
static struct text_pattern *make_pattern(const struct report_skip *skip, const struct file *file,
					 const struct report_type *type)
{
	struct text_pattern *p = text_pattern_new();

	text_pattern_chars(p, text_str(&file->prefix_chars));
	text_pattern_hole(p, TEXT_PATTERN_TASK);
	text_pattern_literal(p, "-", 1);
	text_pattern_chars(p, TEXT_PATTERN_NUMBER " ");
	add_cpus(skip, file, p);
	text_pattern_chars(p, "0123456789. ");
	text_pattern_literal(p, ":", 1);
	text_pattern_literal(p, type->name, type->len);
	record_text_pattern(type->how, p);
	return p;
}

static bool is_symbol(const struct report_skip *skip, struct file *file, unsigned int set,
		      unsigned int word)
{
	const struct regex_literal *literal = &skip->literals.sets[set].words[word];
	struct symbols *symbols = &file->symbols[set];
	uint8_t bit = (uint8_t)(1u << word);
	const char *text;
	uint64_t size;

	if (!(symbols->asked & bit)) {
		text = source_text(trace_file_of(skip->trace, file->file->nr), TRACE_TEXT_KALLSYMS,
				   &size);
		symbols->asked |= bit;
		if (text && memmem(text, size, literal->s, literal->len))
			symbols->there |= bit;
	}
	return symbols->there & bit;
}

/* The places where words of a set may occur. */
static unsigned int find_set(const struct report_skip *skip, struct file *file,
			     const struct text_pattern *p, unsigned int set)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < skip->literals.sets[set].nr; i++) {
		const struct regex_literal *word = &skip->literals.sets[set].words[i];
		unsigned int where = text_pattern_find(p, word->s, word->len, false);

		if ((where & TEXT_PATTERN_SYMBOL) && is_symbol(skip, file, set, i))
			where |= TEXT_PATTERN_ELSEWHERE;
		found |= where;
	}
	return found;
}

static __attribute__((noinline)) uint8_t judge_type(struct report_skip *skip, struct file *file,
						    int id)
{
	const struct report_type *type = report_file_type(file->file, id);
	uint8_t best = KNOWN | MAKE;
	struct text_pattern *p;

	/*
	 * libtraceevent must print its records itself, and entries of calls look at the next record
	 */
	if (!type->known || !type->how || type->is_entry)
		return file->types[id] = (uint8_t)(best | (type->is_entry ? IS_ENTRY : 0));
	p = make_pattern(skip, file, type);
	for (unsigned int set = 0; set < skip->literals.nr && best & (MAKE | IN_STRINGS); set++) {
		unsigned int where = find_set(skip, file, p, set);

		if (where & TEXT_PATTERN_ELSEWHERE ||
		    (where & TEXT_PATTERN_STRING && !(best & MAKE)))
			continue;
		best = (uint8_t)(KNOWN | set | (where & TEXT_PATTERN_STRING ? IN_STRINGS : 0) |
				 (type->remembers ? REMEMBERS : 0));
	}
	text_pattern_free(p);
	return file->types[id] = best;
}

/* --- records --------------------------------------------------------------------- */

static uint8_t judge_name(const struct report_skip *skip, const char *comm)
{
	uint8_t sets = 0;

	for (unsigned int i = 0; i < skip->literals.nr; i++)
		sets |= (uint8_t)(contains_any(skip, i, comm, strlen(comm)) << i);
	return sets;
}

static inline struct skip_task *task_of(struct file *file, int pid)
{
	return &file->tasks[(uint32_t)pid & (TASKS - 1)];
}

/* The sets with a word in the task's name, as report would show it now. */
static uint8_t task_sets(struct file *file, int pid)
{
	struct skip_task *task = task_of(file, pid);
	const char *comm;

	if (task->comm && task->pid == pid)
		return task->sets;
	comm = report_file_comm(file->file, pid);
	if (task->comm != comm)
		task->sets = judge_name(file->skip, comm);
	task->comm = comm;
	/* a name that may change gets another key, so that it is looked up again */
	task->pid = report_file_knows(comm) ? pid : ~pid;
	return task->sets;
}

/* May a word occur in a string of the record? */
static bool in_strings(const struct report_skip *skip, unsigned int set,
		       const struct report_type *type, const uint8_t *data, uint32_t size,
		       uint32_t room)
{
	if (size < (uint32_t)type->type->size)	/* texts then include the bytes after the record */
		return true;
	if (size && data[size - 1])
		size = room - size > RECORD_TAIL ? size + RECORD_TAIL : room;
	return contains_any(skip, set, (const char *)data, size);
}

static struct print_record record_of(const struct report_type *type, const struct skip_lane *lane,
				     const uint8_t *data, uint32_t size, uint32_t room)
{
	return (struct print_record){
		.type = type->type, .data = data, .size = size, .room = room, .cpu = lane->cpu->cpu
	};
}

static bool skips(void *arg, unsigned int nr, const struct cursor_row *row, int64_t ts)
{
	const struct skip_lane *lane = &((struct report_skip *)arg)->lanes[nr];
	struct file *file = lane->file;
	int id = report_file_id(file->file, row->data, row->size);
	uint8_t known = file->types[id];
	const struct report_type *type;
	struct print_record rec;

	if (!known)
		known = judge_type(file->skip, file, id);
	if (known & MAKE || task_sets(file, report_file_pid(file->file, row->data, row->size)) >>
					    (known & SET_MASK) &
				    1)
		return false;
	if (!(known & (IN_STRINGS | REMEMBERS)))
		return true;
	type = report_file_type(file->file, id);
	if (known & IN_STRINGS &&
	    in_strings(file->skip, known & SET_MASK, type, row->data, row->size, row->room))
		return false;
	if (known & REMEMBERS) {
		rec = record_of(type, lane, row->data, row->size, row->room);
		rec.ts = (uint64_t)ts;
		printer_remember(file->file->printer, type->how, &rec);
	}
	return true;
}

/* Decide by final facts only: can the record be left out even before ordering? */
static inline bool sifts(struct skip_lane *lane, int id, uint8_t known, const uint8_t *data,
			 uint32_t size, uint32_t room)
{
	struct file *file = lane->file;
	int pid = report_file_pid(file->file, data, size);
	const struct skip_task *task = task_of(file, pid);
	const struct report_type *type;
	struct print_record rec;

	if (!known || known & MAKE || task->pid != pid || !task->comm ||
	    task->sets >> (known & SET_MASK) & 1)
		return false;
	if (!(known & (IN_STRINGS | REMEMBERS)))
		return true;
	type = report_file_type(file->file, id);
	if (known & IN_STRINGS && in_strings(file->skip, known & SET_MASK, type, data, size, room))
		return false;
	rec = record_of(type, lane, data, size, room);
	return !(known & REMEMBERS) || printer_tells_nothing(file->file->printer, type->how, &rec);
}

static unsigned int sift(void *arg, unsigned int lane_nr, const uint8_t *page, uint32_t len,
			 struct cursor_record *records, unsigned int nr)
{
	struct report_skip *skip = arg;
	struct skip_lane *lane = &skip->lanes[lane_nr];
	struct file *file = lane->file;
	bool stays = true;	/* the first one may follow an entry */
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const struct cursor_record record = records[i];
		const uint8_t *data = page + record.data;
		int id = report_file_id(file->file, data, record.size);
		uint8_t known = file->types[id];

		if (stays || !sifts(lane, id, known, data, record.size, len - record.data))
			records[left++] = record;
		stays = !known || known & IS_ENTRY;
	}
	skip->sifted += nr;
	skip->left += left;
	return left;
}

bool report_skip_is_worth(const struct report_skip *skip)
{
	return skip->sifted < ENOUGH || skip->left < skip->sifted - skip->sifted / 8;
}

struct report_skipper report_skip_skipper(struct report_skip *skip)
{
	return (struct report_skipper){ skips, sift, skip };
}

struct report_skip *report_skip_new(const char *regex, struct report_file *files,
				    unsigned int nr_files, const struct report_cpu *cpus,
				    unsigned int nr_cpus, struct trace *trace)
{
	struct report_skip *skip = mem_alloc(sizeof(*skip));

	regex_literals_init(&skip->literals, regex, strlen(regex));
	if (!skip->literals.nr) {
		free(skip);
		return NULL;
	}
	for (unsigned int i = 0; i < skip->literals.nr; i++)
		for (unsigned int k = 0; k < skip->literals.sets[i].nr; k++) {
			const struct regex_literal *word = &skip->literals.sets[i].words[k];

			skip->words[i][k] = (struct skip_word){ word->s, word->len,
							   rarest(word->s, word->len) };
		}
	skip->trace = trace;
	skip->nr_files = nr_files;
	skip->files = mem_array(nr_files, sizeof(*skip->files));
	skip->nr_lanes = nr_cpus;
	skip->lanes = mem_array(nr_cpus, sizeof(*skip->lanes));
	for (unsigned int i = 0; i < nr_files; i++) {
		skip->files[i].skip = skip;
		skip->files[i].file = &files[i];
		text_add(&skip->files[i].prefix_chars, " ");
	}
	for (unsigned int i = 0; i < nr_cpus; i++) {
		struct file *file = &skip->files[cpus[i].file->nr];

		skip->lanes[i] = (struct skip_lane){ file, &cpus[i] };
		text_bytes(&file->prefix_chars, text_str(cpus[i].prefix), cpus[i].prefix->len);
	}
	return skip;
}

void report_skip_free(struct report_skip *skip)
{
	if (!skip)
		return;
	for (unsigned int i = 0; i < skip->nr_files; i++)
		text_fini(&skip->files[i].prefix_chars);
	free(skip->files);
	free(skip->lanes);
	regex_literals_fini(&skip->literals);
	free(skip);
}
