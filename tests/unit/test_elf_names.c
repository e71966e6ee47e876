/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_names: what becomes of a file whose helper dies, lies, or is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/sandbox/spawner.h"
#include "src/symbols/elf_names.h"
#include "src/symbols/elf_wire.h"

/* What a helper does is its question's number of places. */
enum {
	DIE = 1,
	SAY_NOTHING,
	TOO_MUCH,
	TOO_LITTLE,
	TWO_FILES,
	NO_FILE,
	ANSWER,
	OTHER_FILES,
	ANSWER_LATE,
	NR_DEEDS
};

static const char *const lines[NR_DEEDS] = {
	[TOO_MUCH] = "file ab offset \n",
	[TOO_LITTLE] = "file ab offset \n",
	[TWO_FILES] = "file ab offset \nfile cd offset \n",
	[NO_FILE] = "name 0 10-20 f\n",
	[ANSWER_LATE] = "file ab offset \nname 0 10-20 f\n",
	[ANSWER] = "file ab offset \nname 0 10-20 f\nname 0 20-30 g\n",
	/* of this file only, whatever it says */
	[OTHER_FILES] = "file ab offset ../../etc/passwd\nname 1 10-20 f\nmap 1 2-3 0 0 0 0\n",
};

static void serve(int fd, void (*shut_in)(int folder))
{
	struct elf_answer head = { 0 };
	uint64_t places[NR_DEEDS];
	struct elf_ask ask;
	int file;

	if (framing_receive_fds(fd, &ask, sizeof(ask), &file, 1) != 1 || ask.nr >= NR_DEEDS)
		return;
	shut_in(-1);
	if (framing_receive(fd, places, ask.nr * sizeof(*places), FRAMING_NO_LIMIT) ||
	    ask.nr == SAY_NOTHING)
		return;
	if (ask.nr == DIE)
		abort();
	head.bytes = ELF_AT_WORK;
	for (int i = 0; i < 3 && ask.nr == ANSWER_LATE; i++)
		framing_send(fd, &head, sizeof(head), NULL, 0, FRAMING_NO_LIMIT);
	head.bytes = ask.nr == TOO_MUCH   ? ELF_MAX_ANSWER + 1 :
		     ask.nr == TOO_LITTLE ? 1000 :
					    (uint32_t)strlen(lines[ask.nr]);
	framing_send(fd, &head, sizeof(head), lines[ask.nr], strlen(lines[ask.nr]),
		     FRAMING_NO_LIMIT);
}

static bool is_there = true;

static void expect(uint32_t deed, const char *build_id, enum elf_result expected, uint32_t nr_names)
{
	static const uint64_t places[NR_DEEDS];
	const struct user_file file = { "/etc/passwd", build_id, false };
	struct user_symbols *names;
	char how[ELF_HOW_BYTES];
	uint32_t nr = 0;

	assert_int_equal(elf_names_of("", &file, places, deed, &names, how), expected);
	if (deed == DIE)
		assert_string_equal(how, "libdw crashed (SIGABRT)");
	if (deed == ANSWER || deed == OTHER_FILES)
		assert_string_equal(how, is_there ? "" : "no helper could be started");
	assert_int_equal(names != NULL, expected == ELF_FOUND);
	if (!names)
		return;
	assert_string_equal(user_symbols_files(names, &nr)->build_id, "ab");
	assert_int_equal(nr, 1);
	user_symbols_names(names, 0, &nr);
	assert_int_equal(nr, nr_names);
	user_symbols_free(names);
}

static void test_helpers(void **state)
{
	(void)state;
	spawner_begin((spawner_serve *const[SPAWNER_TASKS]){ [SPAWNER_ELF] = serve }, NULL);
	expect(DIE, "", ELF_NOT_READ, 0);
	expect(SAY_NOTHING, "", ELF_NOT_READ, 0);
	expect(TOO_MUCH, "", ELF_NOT_READ, 0);
	expect(TOO_LITTLE, "", ELF_NOT_READ, 0);
	expect(TWO_FILES, "", ELF_NOT_READ, 0);
	expect(NO_FILE, "", ELF_NOT_READ, 0);
	expect(ANSWER, "", ELF_FOUND, 2);
	expect(ANSWER, "ab", ELF_FOUND, 2);
	expect(ANSWER, "abcd", ELF_IS_ANOTHER, 0);
	expect(OTHER_FILES, "", ELF_FOUND, 0);
	expect(ANSWER_LATE, "", ELF_FOUND, 1);
	spawner_end();
	is_there = false;
	expect(ANSWER, "", ELF_NOT_READ, 0);
}

static void test_paths(void **state)
{
	static const char *const none[] = { "", "etc/passwd", "/etc", "/dev/null", "/no/such/file",
					    "[vdso]" };
	struct user_symbols *names;
	char how[ELF_HOW_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		const struct user_file file = { none[i], "", false };

		assert_int_equal(elf_names_of("", &file, NULL, 0, &names, how), ELF_NOT_THERE);
		assert_null(names);
	}
}

/* Lines that perf reads in it: dso__load_perf_map() of tools/perf/util/symbol.c. */
static void test_code_map(void **state)
{
	static const char text[] = "10 20 one\n"
				   "not a line\n"
				   "40 10 two words\n"
				   "ffffffffffffffff 10 beyond the end\n"
				   "60 0 empty\n"
				   "70 10 cut";
	struct user_file file = { .build_id = "" };
	char path[64], how[ELF_HOW_BYTES];
	struct user_symbols *names;
	FILE *out;
	uint32_t nr;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file.path = path;
	assert_int_equal(elf_names_of("", &file, NULL, 0, &names, how), ELF_NOT_THERE);
	assert_null(names);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(elf_names_of("", &file, NULL, 0, &names, how), ELF_FOUND);
	unlink(path);
	user_symbols_names(names, 0, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(user_symbols_name(names, 0, 0x2f)->name, "one");
	assert_null(user_symbols_name(names, 0, 0x30));
	assert_string_equal(user_symbols_name(names, 0, 0x40)->name, "two words");
	assert_string_equal(user_symbols_name(names, 0, 0x7f)->name, "cut");
	user_symbols_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_helpers),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_code_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
