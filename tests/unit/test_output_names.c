/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each derived name, with each thing that somebody could have put there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "src/base/output_names.h"

#define TRACE	OUTPUT_TRACE_HEAD "6 and more"

static char folder[] = "/tmp/ftop-names-XXXXXX";

static void write_file(const char *name, const char *s)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s, strlen(s)), strlen(s));
	close(fd);
}

static void assert_file(const char *name, const char *s)
{
	char buf[100] = "";
	int fd = open(name, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) >= 0);
	assert_string_equal(buf, s);
	close(fd);
}

static void put_text(const char *name)
{
	write_file(name, "precious");
}

static void put_link(const char *name)
{
	assert_int_equal(symlink("victim", name), 0);
}

/* Leads to what may be replaced by itself. */
static void put_link_to_trace(const char *name)
{
	assert_int_equal(symlink("victim.dat", name), 0);
}

static void put_folder(const char *name)
{
	assert_int_equal(mkdir(name, 0755), 0);
}

static void put_fifo(const char *name)
{
	assert_int_equal(mkfifo(name, 0644), 0);
}

static void put_hard_link(const char *name)
{
	assert_int_equal(link("victim", name), 0);
}

static void put_trace(const char *name)
{
	write_file(name, TRACE);
}

static void put_nothing(const char *name)
{
	write_file(name, "");
}

static const struct {
	void		(*put)(const char *name);
	const char	*said;		/* of a name that a trace may have; NULL: it is replaced */
} obstacles[] = {
	{ put_text, "is not a trace" }, { put_link, "is a symbolic link" },
	{ put_link_to_trace, "is a symbolic link" }, { put_folder, "is a folder" },
	{ put_fifo, "is not a regular file" }, { put_hard_link, "is not a trace" },
	{ put_trace, NULL }, { put_nothing, NULL },
};
#define NR_OBSTACLES	(sizeof(obstacles) / sizeof(obstacles[0]))

static const struct {
	const char		*name;
	struct output_names	 names;
	bool			 is_new;	/* nothing may be there */
} derived[] = {
	{ "t.dat.part.packing" },
	{ "t.max.dat", .names.has_max = true },
	{ "t.1.dat", .names.numbers = 1 },
	{ "t.100.dat", .names.numbers = 100 },
	{ "t.7.dat.part", .names.numbers = 100, .is_new = true },
};
#define NR_DERIVED	(sizeof(derived) / sizeof(derived[0]))

static void clear(const char *name)
{
	if (unlink(name) && rmdir(name))
		fail_msg("%s: %s", name, strerror(errno));
	assert_file("victim", "precious");
	assert_file("victim.dat", TRACE);
}

static void each_name_is_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_DERIVED; i++) {
		for (size_t k = 0; k < NR_OBSTACLES; k++) {
			struct ft_error err = { .message = "" };
			bool refused = derived[i].is_new || obstacles[k].said;

			obstacles[k].put(derived[i].name);
			assert_int_equal(output_names_check(AT_FDCWD, "t.dat", &derived[i].names,
							    &err),
					 refused ? -1 : 0);
			/* "t.1.dat is a folder, which ..." */
			assert_int_equal(!strncmp(err.message, derived[i].name,
						  strlen(derived[i].name)),
					 refused);
			if (refused)
				assert_non_null(strstr(err.message, derived[i].is_new ?
									    " exists: " :
									    obstacles[k].said));
			clear(derived[i].name);
		}
	}
}

/* What this recording does not write does not matter. */
static void others_are_not(void **state)
{
	const struct output_names names = { .numbers = 6 };
	struct ft_error err;

	(void)state;
	for (size_t i = 1; i < NR_DERIVED; i++)
		if (i != 2)
			put_text(derived[i].name);
	assert_int_equal(output_names_check(AT_FDCWD, "t.dat", &names, &err), 0);
	for (size_t i = 1; i < NR_DERIVED; i++)
		if (i != 2)
			clear(derived[i].name);
}

/* Something may have come since they were judged. */
static void each_is_judged_again(void **state)
{
	struct ft_error err;

	(void)state;
	for (size_t k = 0; k < NR_OBSTACLES; k++) {
		write_file("new", TRACE " new");
		obstacles[k].put("t.1.dat");
		assert_int_equal(output_name_give(AT_FDCWD, "new", AT_FDCWD, "t.1.dat",
						  OUTPUT_TRACE_HEAD, &err),
				 obstacles[k].said ? -1 : 0);
		if (!obstacles[k].said)
			assert_file("t.1.dat", TRACE " new");
		else
			assert_non_null(strstr(err.message, "t.1.dat: File exists"));
		output_name_remove(AT_FDCWD, "t.1.dat", OUTPUT_TRACE_HEAD);
		assert_int_equal(!access("t.1.dat", F_OK) || errno != ENOENT,
				 obstacles[k].said != NULL);
		if (obstacles[k].said) {
			clear("t.1.dat");
			clear("new");
		}
	}
}

/* The name that the user gave: a plain file, and a link itself. */
static void what_the_user_named_is_replaced(void **state)
{
	struct ft_error err;
	struct stat st;

	(void)state;
	for (size_t k = 0; k < NR_OBSTACLES; k++) {
		bool kept = obstacles[k].put == put_folder || obstacles[k].put == put_fifo;

		write_file("new", "new");
		obstacles[k].put("t.dat");
		assert_int_equal(output_name_give(AT_FDCWD, "new", AT_FDCWD, "t.dat", "", &err),
				 kept ? -1 : 0);
		assert_int_equal(lstat("t.dat", &st), 0);
		assert_int_equal(S_ISREG(st.st_mode), !kept);
		clear("t.dat");
		if (kept)
			clear("new");
	}
}

static mode_t mode_after(mode_t old, const char *head)
{
	struct ft_error err;
	struct stat st;

	write_file("new", TRACE);
	chmod("new", 0640);
	put_trace("t.dat");
	chmod("t.dat", old);
	assert_int_equal(output_name_mode(AT_FDCWD, "t.dat", 0640), 0640 & (old | 0600));
	assert_int_equal(output_name_give(AT_FDCWD, "new", AT_FDCWD, "t.dat", head, &err), 0);
	assert_int_equal(stat("t.dat", &st), 0);
	clear("t.dat");
	return st.st_mode & 07777;
}

static void stricter_permissions_stay(void **state)
{
	(void)state;
	assert_int_equal(mode_after(0600, ""), 0600);
	assert_int_equal(mode_after(0600, OUTPUT_TRACE_HEAD), 0600);
	assert_int_equal(mode_after(0666, ""), 0640);
	assert_int_equal(mode_after(0440, ""), 0640);
	assert_int_equal(output_name_mode(AT_FDCWD, "none", 0640), 0640);
	/* those of the file to which a link leads are not its own */
	put_link("t.dat");
	chmod("victim", 0600);
	assert_int_equal(output_name_mode(AT_FDCWD, "t.dat", 0640), 0640);
	clear("t.dat");
}

static void assert_name(enum output_name which, const char *output, unsigned int number,
			const char *name)
{
	struct text t = { 0 };

	output_name_add(which, output, number, &t);
	assert_string_equal(text_str(&t), name);
	text_fini(&t);
}

static void the_names(void **state)
{
	(void)state;
	assert_name(OUTPUT_PART, "x/t.dat", 0, "x/t.dat.part");
	assert_name(OUTPUT_PACKING, "t.dat.part", 0, "t.dat.part.packing");
	assert_name(OUTPUT_CPU, "t.dat.part.1", 12, "t.dat.part.1.cpu12");
	assert_name(OUTPUT_MARKS, "t.dat", 0, "t.dat.marks");
	assert_name(OUTPUT_MAX, "x/t.dat", 0, "x/t.max.dat");
	assert_name(OUTPUT_MAX, "t", 0, "t.max.dat");
	assert_name(OUTPUT_NUMBER, "t.dat", 3, "t.3.dat");
	assert_name(OUTPUT_NUMBER, ".dat", 3, ".dat.3.dat");
	assert_name(OUTPUT_NUMBER_PART, "t.data", 3, "t.data.3.dat.part");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_names),
		cmocka_unit_test(each_name_is_judged),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(each_is_judged_again),
		cmocka_unit_test(what_the_user_named_is_replaced),
		cmocka_unit_test(stricter_permissions_stay),
	};
	int failed;

	umask(022);
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	put_text("victim");
	put_trace("victim.dat");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink("victim");
	unlink("victim.dat");
	if (rmdir(folder))
		perror(folder);
	return failed;
}
