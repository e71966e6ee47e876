/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/kallsyms.h"
#include "src/base/memory.h"
#include "src/base/text.h"

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t $mapping\n"
			   "ffffffff81000200 t do_one.part.0\n"
			   "ffffffff81000200 W alias_of_it\n"
			   "ffffffffc0000100 t late_in_module\t[ext4]\n"
			   "ffffffffc0000000 t early_in_module\t[ext4]\n"
			   "ffffffff90000000 D between\n";

static struct kallsyms_symbol find(const struct kallsyms *syms, uint64_t address)
{
	struct kallsyms_symbol symbol = { 0 };

	if (!kallsyms_find(syms, address, &symbol))
		symbol.name = "none";
	return symbol;
}

static void test_aliases_and_modules(void **state)
{
	struct kallsyms *syms = kallsyms_new(text, sizeof(text) - 1);
	struct kallsyms_symbol s;

	(void)state;
	s = find(syms, 0xffffffff81000000);
	assert_string_equal(s.name, "startup_64");	/* the first one listed */
	assert_null(s.module);
	assert_true(s.start == 0xffffffff81000000 && s.end == 0xffffffff81000200);
	assert_string_equal(find(syms, 0xffffffff810001ff).name, "startup_64");
	s = find(syms, 0xffffffff81000234);
	assert_string_equal(s.name, "do_one.part.0");
	assert_true(s.end == 0xffffffff90000000);
	/* between the kernel and its modules is code without a symbol */
	assert_string_equal(find(syms, 0xffffffff900fffff).name, "between");
	assert_string_equal(find(syms, 0xffffffff90100000).name, "none");
	s = find(syms, 0xffffffffc0000080);
	assert_string_equal(s.name, "early_in_module");
	assert_string_equal(s.module, "ext4");
	assert_true(s.end == 0xffffffffc0000100);
	s = find(syms, UINT64_MAX);
	assert_string_equal(s.name, "late_in_module");
	assert_true(s.end == s.start);			/* the last one */
	assert_string_equal(find(syms, 0xffffffff80ffffff).name, "none");
	kallsyms_free(syms);
}

static void test_hidden_addresses_and_rubbish(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t other\n";
	static const char cut[] =
		"ffffffff81000000 T good\nffffffff82000000 T also\nwhat is this\nffffffff83000000 T no\n";
	struct kallsyms_symbol s;
	struct kallsyms *syms;

	(void)state;
	syms = kallsyms_new(hidden, sizeof(hidden) - 1);
	assert_false(kallsyms_find(syms, 0, &s));
	assert_false(kallsyms_find(syms, 5, &s));
	kallsyms_free(syms);
	syms = kallsyms_new("", 0);
	assert_false(kallsyms_find(syms, 5, &s));
	assert_false(kallsyms_find_as_tep(syms, 5, &s));
	kallsyms_free(syms);
	syms = kallsyms_new(cut, sizeof(cut) - 1);	/* ends at the line that is none */
	assert_string_equal(find(syms, 0xffffffff82000000).name, "also");
	assert_string_equal(find(syms, 0xffffffff820fffff).name, "also");
	assert_string_equal(find(syms, 0xffffffff83000000).name, "none");
	kallsyms_free(syms);
	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = mem_strndup(text, len);

		syms = kallsyms_new(copy, len);
		kallsyms_find(syms, UINT64_MAX, &s);
		kallsyms_free(syms);
		free(copy);
	}
}

/* Slow and independent: all symbols in order, then every step of a bisection over them. */
struct line {
	uint64_t	address;
	int		number;
};

static int by_address_then_from_the_end(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address ? 1 : y->number - x->number;
}

static int bisect(const struct line *lines, int nr, uint64_t address)
{
	int from = 0, to = nr;

	while (from < to) {
		int mid = (from + to) / 2;
		uint64_t above = mid + 1 == nr ? 0 : lines[mid + 1].address;

		if (lines[mid].address == address ||
		    (lines[mid].address < address && address < above))
			return lines[mid].number;
		if (address < lines[mid].address)
			to = mid;
		else
			from = mid + 1;
	}
	return -1;
}

static void test_as_libtraceevent_picks(void **state)
{
	struct line lines[500];
	struct text t = { 0 };
	struct kallsyms *syms;
	unsigned int seed = 42;

	(void)state;
	for (int i = 0; i < 500; i++) {
		seed = seed * 1103515245 + 12345;
		/* many aliases, any order */
		lines[i].address = 0x1000 + (seed >> 16) % 200 * 16;
		if (i && i < 100)
			lines[i].address = lines[i - 1].address + i % 3;
		lines[i].number = i;
		text_printf(&t, "%016llx T f%d\n", (unsigned long long)lines[i].address, i);
	}
	syms = kallsyms_new(t.data, t.len);
	qsort(lines, 500, sizeof(lines[0]), by_address_then_from_the_end);
	for (uint64_t address = 0xff0; address < 0x1d00; address++) {
		int expected = bisect(lines, 500, address);
		struct kallsyms_symbol s;
		char name[16];

		assert_int_equal(kallsyms_find_as_tep(syms, address, &s), expected >= 0);
		if (expected < 0)
			continue;
		snprintf(name, sizeof(name), "f%d", expected);
		assert_string_equal(s.name, name);
	}
	kallsyms_free(syms);
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases_and_modules),
		cmocka_unit_test(test_hidden_addresses_and_rubbish),
		cmocka_unit_test(test_as_libtraceevent_picks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
