/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel is a thread here: "1" in tracing_on has it exchange the buffers, and the pipes of the
 * CPUs hold what came to be the first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/pages/raw_page.h"
#include "recorder/run/max_records.h"
#include "tests/lib/page_bytes.h"
#include "tests/lib/sample_tracefs.h"

#define SIZE	4096u
#define MS	1000000ull

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static struct fake_tracefs fake;
static struct tracefs_dir root;
static struct instance inst;
static int raw[2];		/* what the CPUs' trace_pipe_raw hand out */
static int on[2];		/* tracing_on */
static unsigned int exchanges;	/* that do not bring the maximum back */

static int set_up(void **state)
{
	char path[600];

	(void)state;
	sample_tracefs_init(&fake);
	fake_tracefs_put(&fake, "events/header_page", header_page);
	fake_tracefs_put(&fake, "events/enable", "1\n");
	fake_tracefs_put(&fake, "options/function-trace", "1\n");
	fake_tracefs_put(&fake, "tracing_max_latency", "17\n");
	for (int cpu = 0; cpu < 2; cpu++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
		fake_tracefs_put(&fake, path, "entries: 3\nnow ts:     0.005000\n");
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", fake.root, cpu);
		if (mkfifo(path, 0600) || (raw[cpu] = open(path, O_RDWR)) < 0)
			return -1;
	}
	if (tracefs_dir_open(&root, fake.root, NULL) || pipe(on))
		return -1;
	inst = (struct instance){
		.root = &root, .dir = root, .name = "ours", .tracing_on = on[1], .free_fd = -1
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		close(raw[i]);
	close(on[0]);
	tracefs_dir_close(&root);
	fake_tracefs_fini(&fake);
	return 0;
}

/* A sub-buffer with a record at each of these times, in ms. */
static void hand_out(int cpu, const unsigned int *ms, unsigned int nr)
{
	uint8_t page[SIZE];
	struct page_bytes b;

	page_bytes_begin(&b, page_bytes_layout(SIZE, 8, HOST_BIG_ENDIAN), page, ms[0] * MS);
	for (unsigned int i = 0; i < nr; i++)
		page_bytes_record(&b, i ? (uint32_t)((ms[i] - ms[i - 1]) * MS) : 0, 1, 10, 12);
	page_bytes_end(&b, 0, 0);
	if (write(raw[cpu], page, SIZE) != SIZE)
		abort();
}

static void *kernel(void *arg)
{
	char c;

	(void)arg;
	while (read(on[0], &c, 1) == 1) {
		if (c != '1')
			continue;
		if (exchanges) {
			exchanges--;
			hand_out(0, (const unsigned int[]){ 6, 7 }, 2);
			continue;
		}
		hand_out(1, (const unsigned int[]){ 1, 3 }, 2);
		hand_out(0, (const unsigned int[]){ 2, 4, 9 }, 3);
		exchanges = UINT32_MAX;
	}
	return NULL;
}

struct told {
	uint64_t	stamps[2][8];
	unsigned int	nr[2];
};

static int take(void *arg, int cpu, const void *page, uint32_t size, struct ft_error *err)
{
	const struct raw_page_layout layout = { .size = size, .data = 16 };
	struct told *told = arg;
	uint64_t stamps[SIZE / 8];

	(void)err;
	assert_int_equal(size, SIZE);
	assert_in_range(cpu, 0, 1);
	for (unsigned int i = 0, nr = raw_page_stamps(&layout, page, stamps); i < nr; i++)
		told->stamps[cpu][told->nr[cpu]++] = stamps[i];
	return 0;
}

static int fetch(struct told *told, uint64_t nr, unsigned int in_vain, struct ft_error *err)
{
	const struct max_header header = { .latency_us = 2000, .nr = nr, .cpu = 0 };
	pthread_t thread;
	int ret;

	exchanges = in_vain;
	/* what came later than the maximum, and is read first */
	hand_out(0, (const unsigned int[]){ 4, 5 }, 2);
	assert_int_equal(pthread_create(&thread, NULL, kernel, NULL), 0);
	ret = max_records_fetch(&inst, "wakeup_rt", &header, 2, NULL, take, told, err);
	close(on[1]);
	pthread_join(thread, NULL);
	return ret;
}

/*
 * As many as the text counts, the newest, of all CPUs; none of after the stop, none of before the
 * maximum.
 */
static void test_fetch(void **state)
{
	struct ft_error err = { 0 };
	struct told told = { 0 };

	(void)state;
	if (fetch(&told, 3, 0, &err))
		fail_msg("%s", err.message);
	assert_int_equal(told.nr[0], 2);
	assert_int_equal(told.stamps[0][0], 2 * MS);
	assert_int_equal(told.stamps[0][1], 4 * MS);
	assert_int_equal(told.nr[1], 1);
	assert_int_equal(told.stamps[1][0], 3 * MS);
	assert_string_equal(fake_content(&fake, "events/enable"), "0");
	assert_string_equal(fake_content(&fake, "tracing_max_latency"), "0");
}

/* Buffers may be exchanged twice before they can be read. */
static void test_again(void **state)
{
	struct ft_error err = { 0 };
	struct told told = { 0 };

	(void)state;
	if (fetch(&told, 4, 5, &err))
		fail_msg("%s", err.message);
	assert_int_equal(told.nr[0], 2);
	assert_int_equal(told.nr[1], 2);
}

static void test_in_vain(void **state)
{
	struct ft_error err = { 0 };
	struct told told = { 0 };

	(void)state;
	assert_int_equal(fetch(&told, 3, UINT32_MAX, &err), -1);
	assert_string_equal(err.message, "the kernel did not give back the buffer of CPU 0");
	assert_int_equal(told.nr[0] + told.nr[1], 0);
}

static void test_header(void **state)
{
	static const char text[] =
		"# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 6.1.0\n# ----\n"
		"# latency: 17131 us, #1712/1800, CPU#3 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:2)\n";
	struct max_header h;

	(void)state;
	assert_true(max_records_header(text, &h));
	assert_int_equal(h.latency_us, 17131);
	assert_int_equal(h.nr, 1712);
	assert_int_equal(h.cpu, 3);
	assert_false(max_records_header("# tracer: irqsoff\n#\n", &h));
	assert_false(max_records_header("", &h));
	assert_false(max_records_header("\n# latency: 5 us, #0/0, CPU#1 |", &h));
	assert_false(max_records_header("\n# latency: 5 us, #7/7, CPU#-1 |", &h));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_fetch), TEST(test_again), TEST(test_in_vain),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
