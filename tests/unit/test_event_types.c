/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/event_types.h"

/*
 * The table asks the container for formats only: a container of three dozen lines stands in for it
 * here, and counts what is asked.
 */
struct source {
	struct source_format	*formats;
	unsigned int			nr;
	unsigned int			asked;		/* formats given out by id */
};

unsigned int source_nr_formats(const struct source *file)
{
	return file->nr;
}

const struct source_format *source_format(const struct source *file, unsigned int i)
{
	return i < file->nr ? &file->formats[i] : NULL;
}

const struct source_format *source_format_by_id(const struct source *file, int id)
{
	((struct source *)file)->asked++;
	for (unsigned int i = 0; i < file->nr; i++)
		if (file->formats[i].id == id)
			return &file->formats[i];
	return NULL;
}

unsigned int source_nr_buffers(const struct source *file)
{
	(void)file;
	return 0;
}

const struct source_buffer *source_buffer(const struct source *file, unsigned int i)
{
	(void)file;
	(void)i;
	return NULL;
}

const struct source_info *source_info(const struct source *file)
{
	static const struct source_info info = { .user_long_size = 8 };

	(void)file;
	return &info;
}

unsigned int source_release(const struct source *file)
{
	(void)file;
	return 0;
}

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                                 \
	"\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"        \
	"\tfield:unsigned char common_migrate_disable;\toffset:9;\tsize:1;\tsigned:0;\n\n"

#define FORMAT(sys, number, t) { .system = sys, .text = t, .size = sizeof(t) - 1, .id = number }

static struct source_format formats[] = {
	FORMAT("ftrace", -1, "rubbish"),
	FORMAT("ftrace", 13, "name: user_stack\nID: 13\n" COMMON "\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;\n"),
	FORMAT("sched", 300, "name: sched_switch\nID: 300\n" COMMON "\tfield:int prev;\toffset:12;\tsize:4;\tsigned:1;\n"),
	FORMAT("custom", 301, "name: sched_switch\nID: 301\n" COMMON "\tfield:int other;\toffset:12;\tsize:4;\tsigned:1;\n"),
	FORMAT("sched", 302, "name: broken\nID: 302\nformat:\n\tfield:x\n"),
	FORMAT("late", 300, "name: same_id\nID: 300\n" COMMON "\tfield:int c;\toffset:12;\tsize:4;\tsigned:1;\n"),
};

static struct event_types *open_types(struct source *file)
{
	file->formats = formats;
	file->nr = sizeof(formats) / sizeof(formats[0]);
	return event_types_new(file);
}

static void test_by_id_and_by_name(void **state)
{
	struct source file = { 0 };
	struct event_types *types = open_types(&file);
	const struct event_type *type;

	(void)state;
	assert_int_equal(file.asked, 0);
	type = event_types_find(types, 300);
	assert_non_null(type);
	assert_string_equal(type->system, "sched");
	assert_ptr_equal(event_types_find(types, 300), type);
	assert_int_equal(file.asked, 1);
	assert_ptr_equal(event_types_by_name(types, "sched", "sched_switch"), type);
	assert_ptr_equal(event_types_by_name(types, NULL, "sched_switch"), type);
	assert_true(event_type_is(type, "sched_switch"));
	assert_true(event_type_is(type, "sched:sched_switch"));
	assert_true(event_type_is(type, "sched/sched_switch"));
	assert_true(event_type_is(type, "sched/sched_s*"));
	assert_true(event_type_is(type, "sched_[rs]w*"));
	assert_false(event_type_is(type, "sched"));
	assert_false(event_type_is(type, "sched:"));
	assert_false(event_type_is(type, "sche/sched_switch"));
	assert_false(event_type_is(type, "custom:sched_switch"));
	type = event_types_by_name(types, "custom", "sched_switch");
	assert_int_equal(type->id, 301);
	assert_non_null(event_type_field(type, "other"));
	assert_null(event_types_by_name(types, "sched", "sched_switc"));
	assert_null(event_types_by_name(types, "late", "same_id"));	/* id 300 was taken first */
	event_types_free(types);
}

static void test_unknown_and_unsound(void **state)
{
	struct source file = { 0 };
	struct event_types *types = open_types(&file);

	(void)state;
	assert_null(event_types_find(types, 302));
	assert_null(event_types_find(types, 302));
	assert_int_equal(file.asked, 1);
	assert_null(event_types_find(types, 1));
	assert_null(event_types_find(types, -1));
	assert_null(event_types_find(types, 65536));
	assert_null(event_types_find(types, 65535));
	event_types_free(types);
}

static void test_common_fields(void **state)
{
	struct source file = { 0 };
	struct event_types *types = open_types(&file);
	const struct common_layout *common = event_types_common(types);

	(void)state;
	assert_int_equal(common->type_offset, 0);
	assert_int_equal(common->type_size, 2);
	assert_int_equal(common->flags_offset, 2);
	assert_int_equal(common->preempt_offset, 3);
	assert_int_equal(common->pid_offset, 4);
	assert_int_equal(common->pid_size, 4);
	assert_int_equal(common->migrate_offset, 9);
	assert_int_equal(common->migrate_size, 1);
	assert_int_equal(common->lock_size, 0);
	event_types_free(types);
}

/* The blk tracer's events have the id behind user_stack's, and no format of their own. */
static void test_blktrace_is_made_up(void **state)
{
	struct source file = { 0 };
	struct event_types *types = open_types(&file);
	const struct event_type *type = event_types_find(types, 14);

	(void)state;
	assert_non_null(type);
	assert_string_equal(type->name, "blktrace");
	assert_int_equal(event_type_field(type, "sector")->offset, 16);
	event_types_free(types);
}

static void *find_all(void *arg)
{
	const struct event_type **found = calloc(400, sizeof(*found));

	for (int id = 0; id < 400; id++)
		found[id] = event_types_find(arg, id);
	return found;
}

static void test_many_threads_find_the_same(void **state)
{
	struct source file = { 0 };
	struct event_types *types = open_types(&file);
	const struct event_type **found[4];
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_all, types), 0);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		found[i] = result;
	}
	for (int i = 1; i < 4; i++)
		assert_memory_equal(found[0], found[i], 400 * sizeof(*found[0]));
	for (int i = 0; i < 4; i++)
		free(found[i]);
	event_types_free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_id_and_by_name),
		cmocka_unit_test(test_unknown_and_unsound),
		cmocka_unit_test(test_common_fields),
		cmocka_unit_test(test_blktrace_is_made_up),
		cmocka_unit_test(test_many_threads_find_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
