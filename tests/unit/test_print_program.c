/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of print formats beside libtraceevent, which is the judge: every format of the
 * recorded traces (and of the running kernel), on records made up of random bytes.
 *
 *   test_print_program [FILE…]        instead of all recorded traces, and tells of each format that
 *                                     has no program
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/lines/line_source.h"
#include "parsers/open/open.h"
#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "parsers/print/text_pattern.h"
#include "src/base/memory.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/recorded.h"
#include "tests/lib/start_helper.h"

#define RECORDS		12		/* of each format */
#define RECORDS_LONG	100		/* with FTOP_TEST_LONG=1 */
#define MAX_SIZE	4096
#define MAX_SHOWN	12		/* differences that are told */

struct tally {
	unsigned int	formats, compiled[3], records, differ, shown;
	unsigned int	patterns;	/* pieces of texts that were found in
					   holes of their patterns alone */
	uint64_t	*seen;		/* [nr_seen] hashes of the formats that had their turn */
	unsigned int	nr_seen, cap_seen;
	bool		verbose;
	bool		plugins;	/* the twins of plugins instead of print formats */
	int		nr_records;	/* of each format */
	const struct event_type *told;	/* the last one of which a difference was */
};

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * 0x100000001b3ull;
	return h;
}

/* Formats are in many files; the id, which differs from kernel to kernel, does not count. */
static bool is_new(struct tally *t, const struct event_type *type, const struct source *file)
{
	const char *text = type->format->text,
		   *rest = memmem(text, type->format->size, "format:", 7);
	uint64_t h = hash(0xcbf29ce484222325ull, type->name, strlen(type->name));
	size_t skipped = rest ? (size_t)(rest - text) : 0;

	h = hash(h, text + skipped, type->format->size - skipped);
	h = hash(h, type->system, strlen(type->system));
	h = h * 4 + (source_info(file)->user_long_size == 4) * 2 + source_info(file)->big_endian;
	for (unsigned int i = 0; i < t->nr_seen; i++)
		if (t->seen[i] == h)
			return false;
	mem_grow(&t->seen, t->nr_seen, &t->cap_seen);
	t->seen[t->nr_seen++] = h;
	return true;
}

/* --- records ------------------------------------------------------------ */

struct random_record {
	uint8_t		bytes[MAX_SIZE + 64];
	uint32_t	size;
};

static void store(uint8_t *to, uint64_t v, uint32_t width, bool big)
{
	for (uint32_t i = 0; i < width; i++)
		to[i] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

static uint64_t random_number(struct gen_random *r, uint32_t width, bool small)
{
	uint64_t v = gen_random_u64(r);

	if (small)
		return v % 40;
	switch (gen_random_below(r, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return 1ull << (v % (8 * width));
	case 3:
		return 0 - v % 100;
	case 4:
		return v % 300;
	case 5:
		return v % 20;
	default:
		return v;
	}
}

static void random_text(struct gen_random *r, uint8_t *to, uint32_t size)
{
	static const char letters[] = "abcXYZ 0129-_/:.%<>";
	uint32_t len = gen_random_below(r, size + 1);
	bool odd = gen_random_one_in(r, 8);

	for (uint32_t i = 0; i < size; i++)
		to[i] = i < len ? (uint8_t)letters[gen_random_below(r, sizeof(letters) - 1)] : 0;
	if (odd && size)
		to[gen_random_below(r, size)] = (uint8_t)(0x80 + gen_random_below(r, 128));
}

/* length << 16 | offset: mostly inside of the record, at its edges, and behind it. */
static uint64_t random_place(struct gen_random *r, const struct event_type *type,
			     const struct event_field *f, uint32_t size)
{
	uint32_t base = f->is_relative ? f->offset + 4u : 0,
		 from = base < type->size ? type->size - base : 0;
	uint32_t end = size > base ? size - base : 0, offset, len;

	offset = from + (end > from ? gen_random_below(r, end - from + 1) : 0);
	len = end > offset ? gen_random_below(r, end - offset + 1) : 0;
	if (gen_random_one_in(r, 4))
		len = len / 8 * 8;
	if (gen_random_one_in(r, 10))
		len = end - offset + gen_random_below(r, 3);
	if (gen_random_one_in(r, 12))
		offset += gen_random_below(r, 200);
	if (gen_random_one_in(r, 12))
		len = gen_random_below(r, 65536);
	return (uint64_t)(len & 0xffff) << 16 | (offset & 0xffff);
}

/* Is it a number that libtraceevent would use for a size without a look at it? */
static bool must_be_small(const struct event_type *type)
{
	return strchr(type->print_fmt, '*') || strstr(type->print_fmt, "__print_hex") ||
	       strstr(type->print_fmt, "__print_array") || strstr(type->print_fmt, "] ");
}

static void random_field(struct gen_random *r, const struct event_type *type,
			 const struct event_field *f, struct random_record *rec, bool big,
			 bool small)
{
	uint8_t *to = rec->bytes + f->offset;

	if (f->offset + f->size > rec->size)
		return;
	if (f->is_dynamic)
		store(to, random_place(r, type, f, rec->size), 4, big);
	else if (f->kind == FIELD_STRING)
		random_text(r, to, f->size);
	else if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
		store(to,
		      random_number(r, f->size,
				    small && !gen_random_one_in(r, 3) ? true :
									small && f->size >= 4),
		      f->size, big);
}

static void make_record(struct gen_random *r, const struct event_type *type,
			const struct common_layout *c, bool big, struct random_record *rec)
{
	bool small = must_be_small(type);
	uint32_t more = gen_random_below(r, 100);

	rec->size = (type->size + (gen_random_one_in(r, 4) ? 0 : more) + 3) / 4 * 4;
	for (uint32_t i = 0; i < rec->size; i++)
		rec->bytes[i] = gen_random_one_in(r, 3) ? 0 : (uint8_t)gen_random_u64(r);
	if (gen_random_one_in(r, 3) && rec->size > type->size)
		random_text(r, rec->bytes + type->size, rec->size - type->size);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		random_field(r, type, &type->fields[i], rec, big, small);
	if (gen_random_one_in(r, 20))	/* cut off, perhaps inside of a field */
		rec->size = rec->size > 16 ? 8 + gen_random_below(r, (rec->size - 8) / 4) * 4 :
					     rec->size;
	store(rec->bytes + c->type_offset, (uint64_t)type->id, c->type_size, big);
}

/* --- the comparison ----------------------------------------------------- */

struct subject {
	struct source	*file;
	struct event_types	*types;
	struct printer		*printer;
	struct record_text	*rt;
	struct record_text_state *state;	/* libtraceevent has one, too */
};

static void show_difference(struct tally *t, const struct event_type *type, const char *what,
			    const struct text *own, const struct text *theirs)
{
	t->differ++;
	if (t->told != type && t->shown++ < MAX_SHOWN)
		fprintf(stderr, "%s/%s %s: %.300s\n ours:   %s\n theirs: %s\n", type->system,
			type->name, what, type->print_fmt, text_str(own), text_str(theirs));
	t->told = type;
}

/*
 * A piece of a text that was printed must be found in the pattern of such texts, and where the
 * pattern says.
 */
static void check_pattern(struct tally *t, const struct record_text_type *how,
			  const struct print_record *rec, const struct text *own)
{
	struct text_pattern *p;
	unsigned int where;
	size_t begin, len;

	if (!own->len || t->records % 7)
		return;
	p = text_pattern_new();
	record_text_pattern(how, p);
	begin = hash(t->records, "begin", 5) % own->len;
	len = 1 + hash(t->records, "len", 3) % (own->len - begin < 40 ? own->len - begin : 40);
	where = text_pattern_find(p, own->data + begin, len, false);
	t->patterns += !(where & TEXT_PATTERN_ELSEWHERE);
	if (!where ||
	    (where == TEXT_PATTERN_STRING && !memmem(rec->data, rec->size, own->data + begin, len)))
		fail_msg("%s/%s: \"%.*s\" of \"%s\" is not in its pattern (%u)", rec->type->system,
			 rec->type->name, (int)len, own->data + begin, text_str(own), where);
	text_pattern_free(p);
}

static void compare(struct tally *t, struct subject *s, const struct event_type *type,
		    const struct random_record *bytes, struct text *own, struct text *theirs)
{
	/* a copy that ends with the record: our reads behind it are noticed */
	uint8_t *data = mem_alloc(bytes->size);
	struct print_record rec = { .type = type, .data = data, .size = bytes->size, .cpu = 0 };
	enum text_style style = t->records % 4 == 3 ? TEXT_TRACE_CMD_RAW : TEXT_TRACE_CMD;

	memcpy(data, bytes->bytes, bytes->size);
	text_clear(own);
	text_clear(theirs);
	const struct record_text_type *how = record_text_type(s->rt, style, type);
	struct print_record noted = rec;

	if (record_text_is_own(how) && record_text_remembers(how))
		noted.note = record_text_remember(how, &rec, s->state);
	if (record_text_is_own(how) && record_text_print(how, &noted, NULL, own)) {
		printer_text(s->printer,
			     style == TEXT_TRACE_CMD ? PRINT_TRACE_CMD : PRINT_TRACE_CMD_RAW, &rec,
			     NULL, NULL, theirs);
		t->records++;
		check_pattern(t, how, &rec, own);
		if (own->len != theirs->len ||
		    memcmp(text_str(own), text_str(theirs), own->len) != 0)
			show_difference(t, type, style == TEXT_TRACE_CMD ? "text" : "raw", own,
					theirs);
	} else {
		assert_int_equal(own->len, 0);
	}
	/* Of the kernel's style there is no judge here; it must only not read where nothing is. */
	text_clear(own);
	record_text_add(s->rt, TEXT_KERNEL, &rec, NULL, NULL, own);
	free(data);
}

/* A division by a 0 of the record ends libtraceevent, and the program with it. */
static bool divides(const struct event_type *type)
{
	const char *p = strrchr(type->print_fmt, '"');

	for (p = p ? p : type->print_fmt; (p = strpbrk(p, "/%")); p++)
		if (p[1] == ' ' && strspn(p + 2, "0123456789") == 0 &&
		    strncmp(p + 2, "sizeof", 6) != 0)
			return true;
	return false;
}

/*
 * Is the judge libtraceevent 1.8 or later?  It does not tell its version; this function it has
 * since then.
 */
static bool is_since_18(void)
{
	return dlsym(RTLD_DEFAULT, "tep_get_sub_buffer_data_size") != NULL;
}

/*
 * Since 1.8: what libtraceevent 1.8 and 1.9 read in two ways, and what is not theirs but
 * trace-cmd's to print.
 */
static bool is_disputed(const struct event_type *type)
{
	static const char *const disputed[][2] = {
		{ "ftrace", "function" }, { "ftrace", "funcgraph_entry" },
		{ "ftrace", "funcgraph_exit" },
		/* 1.8 fails at __print_dynamic_array, prints %*pbl as a place in its memory */
		{ "syscalls", "sys_enter_write" }, { "syscalls", "sys_enter_pwrite64" },
		{ "sample-trace", "foo_bar" },
		/* 1.9 knows the cast "(unsigned long)", and ?: behind a comparison in brackets */
		{ "maple_tree", "ma_op" }, { "maple_tree", "ma_read" },
		{ "maple_tree", "ma_write" },
		{ "xen", "xen_mc_batch" }, { "xen", "xen_mc_issue" },
		{ "xen", "xen_mc_flush_reason" },
		{ "kvm", "kvm_irq_line" }, { "kvm", "kvm_emulate_cp15_imp" },
	};

	/* it has a field of one char, which they read with the sign of this processor's */
	if (CHAR_MIN == 0 && !strcmp(type->name, "branch"))
		return true;

	for (size_t i = 0; is_since_18() && i < sizeof(disputed) / sizeof(disputed[0]); i++)
		if (!strcmp(type->system, disputed[i][0]) && !strcmp(type->name, disputed[i][1]))
			return true;
	return false;
}

static void try_format(struct tally *t, struct subject *s, const struct event_type *type)
{
	static const char *const names[] = { "trace-cmd", "raw", "kernel" };
	bool big = source_info(s->file)->big_endian;
	struct text own = { 0 }, theirs = { 0 };
	struct gen_random r;
	struct random_record rec;

	t->formats++;
	for (int i = 0; i < 3; i++) {
		bool has = record_text_is_own(record_text_type(s->rt, (enum text_style)i, type));

		t->compiled[i] += has;
		if (!has && t->verbose)
			printf("# %s/%s has no program in style %s\n", type->system, type->name,
			       names[i]);
	}
	gen_random_init(&r, hash(1, type->name, strlen(type->name)));
	for (int i = 0;
	     i < t->nr_records && type->size < MAX_SIZE / 2 && !divides(type) && !is_disputed(type);
	     i++) {
		make_record(&r, type, event_types_common(s->types), big, &rec);
		compare(t, s, type, &rec, &own, &theirs);
	}
	text_fini(&own);
	text_fini(&theirs);
}

/* Is it printed by a twin of a plugin? */
static bool has_twin(const struct event_type *type)
{
	for (const struct text_handler_def *def = plugin_handlers; def->name; def++)
		if (!strcmp(def->name, type->name) && !strcmp(def->system, type->system))
			return true;
	return false;
}

static void try_file(struct tally *t, const char *path)
{
	bool era_34 = is_since_18();
	const struct printer_options options = { .no_plugins = !t->plugins, .library_only = true,
						 .sequential = true,
						 .era_34 = era_34 };
	const struct record_text_options own = { .no_plugins = !t->plugins,
						 .era = era_34 ? TEXT_ERA_3_4 : TEXT_ERA_3_1 };
	struct ft_error err = { 0 };
	struct subject s = { .file = source_open(path, -1, &err) };

	/* a text has no formats of its own */
	if (s.file && line_source_file(s.file)) {
		source_close(s.file);
		return;
	}
	if (!s.file)
		return;
	s.types = event_types_new(s.file);
	s.printer = printer_new(s.file, s.types, &options);
	assert_non_null(s.printer);
	s.rt = record_text_new(s.file, s.types, printer_kallsyms(s.printer), &own);
	s.state = record_text_state_new();
	for (unsigned int i = 0; i < source_nr_formats(s.file); i++) {
		const struct source_format *format = source_format(s.file, i);
		const struct event_type *type = event_types_find(s.types, format->id);

		if (type && type->format == format && (!t->plugins || has_twin(type)) &&
		    is_new(t, type, s.file))
			try_format(t, &s, type);
	}
	record_text_state_free(s.state);
	record_text_free(s.rt);
	printer_free(s.printer);
	event_types_free(s.types);
	source_close(s.file);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* DIR/NAME/trace.dat and DIR/NAME.dat, sorted. */
static void try_folder(struct tally *t, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **names = NULL;
	unsigned int nr = 0, cap = 0;

	while (d && (e = readdir(d))) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			snprintf(path, sizeof(path), "%s/%s/trace.dat", dir, e->d_name);
		mem_grow(&names, nr, &cap);
		names[nr++] = mem_strdup(path);
	}
	if (d)
		closedir(d);
	if (nr)
		qsort(names, nr, sizeof(*names), by_name);
	for (unsigned int i = 0; i < nr; i++) {
		try_file(t, names[i]);
		free(names[i]);
	}
	free(names);
}

static char **test_files;		/* of the command line */

static void try_all(struct tally *t)
{
	const char *shared = getenv("FTOP_SHARED");
	char dir[2048];

	t->verbose = test_files && *test_files;
	t->nr_records = getenv("FTOP_TEST_LONG") ? RECORDS_LONG : RECORDS;
	if (test_files && *test_files) {
		for (char **file = test_files; *file; file++)
			try_file(t, *file);
	} else {
		if (recorded_dir(dir, sizeof(dir)))
			try_folder(t, dir);
		snprintf(dir, sizeof(dir), "%s/corpus", shared ? shared : "");
		try_folder(t, dir);
	}
}

static void test_equals_plugins(void **state)
{
	struct tally t = { .plugins = true };

	(void)state;
	try_all(&t);
	printf("# %u formats with a twin of a plugin, %u records\n", t.formats, t.records);
	free(t.seen);
	assert_true(t.records > 0 || t.verbose);
	assert_int_equal(t.differ, 0);
}

static void test_equals_libtraceevent(void **state)
{
	struct tally t = { 0 };

	(void)state;
	try_all(&t);
	printf("# %u formats: %u have a program in trace-cmd's style, %u raw, %u in the kernel's; %u records, %u in holes\n",
	       t.formats, t.compiled[0], t.compiled[1], t.compiled[2], t.records, t.patterns);
	free(t.seen);
	assert_true(t.formats > 0);
	assert_int_equal(t.differ, 0);
	if (!t.verbose)
		for (int i = 0; i < 3; i++)
			assert_in_range(t.compiled[i] * 1000ull / t.formats, 980, 1000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_libtraceevent),
		cmocka_unit_test(test_equals_plugins),
	};

	printer_set_helper(start_helper, NULL);
	test_files = argc > 1 ? argv + 1 : NULL;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
