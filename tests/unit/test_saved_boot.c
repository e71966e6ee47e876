/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved_boot: boots that are saved in a made-up tracefs, and buffers of boots of other places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/tracefs/saved_boot.h"
#include "tests/lib/fake_tracefs.h"

#define KERNEL	"ffffffff9a000000 T _text\nffffffff9a001230 t vfs_read\n"
#define EXT4	"ffffffffc0a80040 t __traceiter_ext4_sync\t[ext4]\n"
#define HERE	"ffffffff9a000000\t[kernel]\nffffffffc0a80000\text4\n"

static struct fake_tracefs fake;
static struct tracefs_dir dir;
static struct text folder, removed;
static int day, days = 1;	/* of each file: so many after the one before */

static void put_format(const char *event, int id)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "events/%s/format", event);
	snprintf(text, sizeof(text), "name: %s\nID: %d\n", strchr(event, '/') + 1, id);
	fake_tracefs_put(&fake, path, text);
}

/* A kernel at ffffffff9a000000, ext4 at ffffffffc0a80000, and a probe. */
static int set_up(void **state)
{
	(void)state;
	fake_tracefs_init(&fake);
	fake_tracefs_put(&fake, "proc/kallsyms", KERNEL EXT4);
	fake_tracefs_put(&fake, "proc/modules", "ext4 1130496 1 - Live 0xffffffffc0a80000\n");
	fake_tracefs_put(&fake, "printk_formats", "0xffffffff9a002000 : \"x\"\n");
	fake_tracefs_put(&fake, "saved_cmdlines", "17 sh\n");
	put_format("sched/sched_switch", 310);
	put_format("ext4/ext4_sync", 1650);
	text_clear(&folder);
	text_printf(&folder, "%s/boots", fake.root);
	return tracefs_dir_open(&dir, fake.root, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	tracefs_dir_close(&dir);
	fake_tracefs_fini(&fake);
	text_fini(&folder);
	text_fini(&removed);
	return 0;
}

static int write_boot(struct text *path, struct ft_error *err)
{
	text_clear(&removed);
	return saved_boot_write(&dir, fake.root, text_str(&folder), path, &removed, err);
}

/* Save what is there now under this name, as if that were the boot's id. */
static void save_as(const char *id)
{
	struct text path = { 0 }, name = { 0 };
	time_t when;

	assert_int_equal(write_boot(&path, NULL), 0);
	text_printf(&name, "%s/%s", text_str(&folder), id);
	assert_int_equal(rename(text_str(&path), text_str(&name)), 0);
	day += days;		/* after long ago */
	when = (time_t)day * 86400;
	assert_int_equal(utimensat(AT_FDCWD, text_str(&name),
				   (struct timespec[]){ { when, 0 }, { when, 0 } },
				   0),
			 0);
	text_fini(&path);
	text_fini(&name);
}

static struct saved_boot *find(const char *info)
{
	struct saved_boot *saved;
	struct last_boot last;

	fake_tracefs_put(&fake, "last_boot_info", info);
	assert_true(last_boot_read(&last, &dir, fake.root));
	saved = saved_boot_find(&last, text_str(&folder));
	last_boot_fini(&last);
	return saved;
}

static void add_format(void *arg, const char *system, const struct text *format)
{
	text_printf(arg, "%s/%s", system, text_str(format));
}

/* Takes the boot over.  @left_out: formats */
static void expect(struct saved_boot *saved, const char *formats, unsigned int left_out)
{
	struct text found = { 0 };
	unsigned int unsure;

	assert_non_null(saved);
	unsure = saved_boot_formats(saved, add_format, &found);
	assert_string_equal(text_str(&found), formats);
	assert_int_equal(unsure, left_out);
	text_fini(&found);
	saved_boot_free(saved);
}

static void expect_file(const struct saved_boot *saved, const char *name, const char *content)
{
	struct text file = { 0 };

	saved_boot_file(saved, name, &file);
	assert_string_equal(text_str(&file), content);
	text_fini(&file);
}

#define SWITCH	"sched/name: sched_switch\nID: 310\n"
#define SYNC	"ext4/name: ext4_sync\nID: 1650\n"

static void test_places(void **state)
{
	struct saved_boot *saved;

	(void)state;
	save_as("then");
	saved = find(HERE);
	expect_file(saved, "kallsyms", KERNEL EXT4);
	expect_file(saved, "printk_formats", "0xffffffff9a002000 : \"x\"\n");
	expect_file(saved, "saved_cmdlines", "17 sh\n");
	expect_file(saved, "dynamic_events", "");
	expect(saved, SYNC SWITCH, 0);
	assert_null(find("ffffffff9b000000\t[kernel]\nffffffffc0a80000\text4\n"));
	assert_null(find("ffffffff9a000000\t[kernel]\nffffffffc0a81000\text4\n"));
}

/* Others may have taken the numbers of a module's events. */
static void test_other_modules(void **state)
{
	(void)state;
	save_as("then");
	expect(find(HERE "ffffffffc0b00000\tlater\n"), SWITCH, 1);
	expect(find("ffffffff9a000000\t[kernel]\n"), SWITCH, 1);
	expect(find("text delta:\t0\n"), SWITCH, 1);
}

/* Of two boots at the same places, only what both have is sure. */
static void test_two_boots(void **state)
{
	struct saved_boot *saved;

	(void)state;
	save_as("first");
	put_format("ext4/ext4_sync", 1651);
	fake_tracefs_put(&fake, "saved_cmdlines", "17 sh\n18 ls\n");
	fake_tracefs_put(&fake, "printk_formats", "0xffffffff9a002000 : \"y\"\n");
	save_as("second");
	saved = find(HERE);
	expect_file(saved, "saved_cmdlines", "17 sh\n");
	expect_file(saved, "printk_formats", "");
	expect(saved, SWITCH, 1);
}

/* This boot's own file, a damaged one, and one of another version are not of the boot before. */
static void test_others(void **state)
{
	struct text path = { 0 };

	(void)state;
	assert_null(find(HERE));
	assert_int_equal(write_boot(&path, NULL), 0);
	fake_tracefs_put(&fake, "boots/short", "ftop-trace boot 1\n17 kallsyms\nffff");
	fake_tracefs_put(&fake, "boots/large",
			 "ftop-trace boot 1\n99999999999999999999 kallsyms\nf");
	fake_tracefs_put(&fake, "boots/other", "ftop-trace boot 2\n0 kallsyms\n");
	fake_tracefs_put(&fake, "boots/empty", "");
	assert_null(find(HERE));
	text_fini(&path);
}

static void test_old_ones_go(void **state)
{
	struct name_list names = { 0 };
	struct tracefs_dir boots;
	char name[8];
	struct stat st;

	(void)state;
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "boot%d", i);
		save_as(name);
	}
	assert_int_equal(stat(text_str(&folder), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(tracefs_dir_open(&boots, text_str(&folder), NULL), 0);
	tracefs_dir_list(&boots, "", &names, NULL);
	assert_int_equal(names.nr, 4);
	assert_true(name_list_has(&names, "boot5") && name_list_has(&names, "boot4") &&
		    name_list_has(&names, "boot3") && name_list_has(&names, "boot2"));
	name_list_fini(&names);
	tracefs_dir_close(&boots);
}

static bool is_there(const char *name)
{
	struct text path = { 0 };
	struct stat st;
	bool is;

	text_printf(&path, "%s/%s", text_str(&folder), name);
	is = !stat(text_str(&path), &st);
	text_fini(&path);
	return is;
}

/* Whatever the clock was: this boot stays, and the three that were saved last. */
static void test_clock(void **state)
{
	struct text path = { 0 };
	char name[8];

	(void)state;
	days = -1;
	day = 40000;		/* far ahead: in 2079 */
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "boot%d", i);
		save_as(name);
	}
	days = 1;
	assert_true(!is_there("boot0") && !is_there("boot1") && is_there("boot2"));
	assert_int_equal(write_boot(&path, NULL), 0);
	assert_int_equal(access(text_str(&path), F_OK), 0);
	assert_true(saved_boot_is_written(text_str(&folder)));
	assert_true(!is_there("boot2") && is_there("boot3") && is_there("boot5"));
	assert_non_null(strstr(text_str(&removed), "/boots/boot2\n"));
	/* saved once more, it takes no other's place */
	text_clear(&path);
	assert_int_equal(write_boot(&path, NULL), 0);
	assert_true(is_there("boot3") && !removed.len);
	text_fini(&path);
}

/* Files of versions without a count, or with an impossible one, are the oldest. */
static void test_old_versions(void **state)
{
	struct text path = { 0 };
	char name[16];

	(void)state;
	for (int i = 1; i <= 5; i++) {
		snprintf(name, sizeof(name), "boots/old%d", i);
		fake_tracefs_put(&fake, name, "ftop-trace boot 1\n0 uname\n");
	}
	fake_tracefs_put(&fake, "boots/large",
			 "ftop-trace boot 1\n21 count\n18446744073709551615\n");
	save_as("new");
	assert_int_equal(write_boot(&path, NULL), 0);
	assert_int_equal(access(text_str(&path), F_OK), 0);
	assert_true(is_there("new") && removed.len);
	text_fini(&path);
}

/* What does not begin as ours do is nobody's to remove, nor to replace. */
static void test_strangers(void **state)
{
	static const char *const names[] = { "notes1", "notes2", "notes3", "notes4", "notes5",
					     "empty", "later", "link" };
	struct text path = { 0 }, link = { 0 };
	struct ft_error err = { 0 };
	char name[32];

	(void)state;
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "boots/%s", names[i]);
		fake_tracefs_put(&fake, name, "precious\n");
	}
	fake_tracefs_put(&fake, "boots/empty", "");
	fake_tracefs_put(&fake, "boots/later", "ftop-trace boot 2\n");
	fake_tracefs_put(&fake, "boots.txt", "ftop-trace boot 1\n");
	text_printf(&link, "%s/link", text_str(&folder));
	assert_int_equal(symlink("../boots.txt", text_str(&link)), 0);
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "boot%d", i);
		save_as(name);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(is_there(names[i]));
	assert_true(is_there("boot2") && !is_there("boot1"));

	assert_int_equal(write_boot(&path, NULL), 0);
	fake_tracefs_put(&fake, text_str(&path) + strlen(fake.root) + 1, "precious\n");
	assert_false(saved_boot_is_written(text_str(&folder)));
	text_clear(&path);
	assert_int_equal(write_boot(&path, &err), -1);
	assert_int_equal(err.code, FT_E_FORMAT);
	assert_true(is_there("boot3") && !removed.len);
	text_fini(&link);
	text_fini(&path);
}

static void test_hidden(void **state)
{
	struct text path = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	fake_tracefs_put(&fake, "proc/kallsyms", "0000000000000000 T _text\n");
	assert_int_equal(write_boot(&path, &err), -1);
	assert_int_equal(err.code, FT_E_UNSUPPORTED);
	assert_non_null(strstr(err.message, "kptr_restrict"));
	text_fini(&path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_modules, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_two_boots, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_old_ones_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_clock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_old_versions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_strangers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hidden, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
