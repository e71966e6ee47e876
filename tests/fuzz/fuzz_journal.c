/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_journal - the bytes as the journal of a recorder that has ended: what it says is undone, and
 * nothing outside of tracefs is touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "recorder/journal/journal_private.h"
#include "recorder/tracefs/owner.h"
#include "src/base/small_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/fake_tracefs.h"

#define NAME "ftop-999999-1"

const char fuzz_name[] = "fuzz_journal";

static struct fake_tracefs fake;
static struct tracefs_dir root;
static char victim[4200];	/* beside tracefs */

static void write_file(const char *path, const char *s, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite(s, 1, len, file);
	assert_int_equal(fclose(file), 0);
}

static void begin(void)
{
	snprintf(victim, sizeof(victim), "%s", fuzz_path("victim"));
	write_file(victim, "old", 3);
	snprintf(fake.root, sizeof(fake.root), "%s", fuzz_path("tracing"));
	assert_int_equal(mkdir(fake.root, 0700), 0);
	assert_int_equal(tracefs_dir_open(&root, fake.root, NULL), 0);
}

/* The files that journals of the seeds are about, as they were. */
static void restore(void)
{
	static const char *const files[][2] = {
		{ "current_tracer", "nop\n" },
		{ "tracing_on", "0" },
		{ "trace_clock", "local [mono]\n" },
		{ "buffer_size_kb", "4096\n" },
		{ "set_ftrace_filter", "vfs_read\n" },
		{ "saved_cmdlines_size", "9\n" },
		{ "dynamic_events", "p:g/e f\n" },
		{ "events/sched/sched_switch/filter", "a == 1\n" },
		{ "events/sched/sched_switch/trigger", "traceoff:unlimited\n" },
		{ "instances/" NAME "/", "" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fake_tracefs_put(&fake, files[i][0], files[i][1]);
}

/* With the right head, unless the bytes bring one. */
static void write_journal(const char *path, const uint8_t *data, size_t size)
{
	struct text t = { 0 };
	char boot[OWNER_BOOT_BYTES];
	struct stat st;

	assert_int_equal(fstat(root.fd, &st), 0);
	if (size < 4 || memcmp(data, "ftop", 4))
		text_printf(&t, JOURNAL_HEAD "\nboot %s\nroot %llu %llu x\n", owner_boot_id(boot),
			    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	text_bytes(&t, (const char *)data, size);
	write_file(path, text_str(&t), t.len);
	text_fini(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text notes = { 0 }, left = { 0 };
	enum journal_state state;
	struct journal *j;

	/* what is named with it lies in this machine's /proc/sys */
	if (memmem(data, size, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL)))
		return 0;
	if (!fake.root[0])
		begin();
	restore();
	write_journal(fuzz_path(JOURNAL_PREFIX NAME), data, size);
	j = journal_take_over(fuzz_path("."), NAME, &root, &state);
	assert((j != NULL) == (state == JOURNAL_OF_DEAD));
	journal_end(j, &notes);
	assert_int_equal(small_file_read(victim, 100, &left, NULL), 0);
	assert_string_equal(text_str(&left), "old");
	text_fini(&notes);
	text_fini(&left);
	return 0;
}

static const char *const seeds[] = {
	"save 0 tracing_on 2\n1\n\nwrote tracing_on 1\n0\n"
	"save 1 trace_clock 13\n[local] mono\n\nwrote trace_clock 13\nlocal [mono]\n\n"
	"save 4 buffer_size_kb 20\n7 (expanded: 1408)\n\n\nwrote buffer_size_kb 5\n4096\n\n",
	"save 2 set_ftrace_filter 9\nschedule\n\nwrote set_ftrace_filter 9\nvfs_read\n\n"
	"again set_ftrace_filter\nsave 3 events/sched/sched_switch/filter 5\nnone\n\n"
	"save 5 events/sched/sched_switch/trigger 0\n\n"
	"wrote events/sched/sched_switch/trigger 19\ntraceoff:unlimited\n\n",
	"instance " NAME "\ndynamic g/e\nunmade g/e\nsave 7 saved_cmdlines_size 4\n128\n\n"
	"save 6 buffer_size_kb 2\n7\n\nwaits for others\n",
	"save 0 ../victim 3\nnew\ninstance ../victim\ndynamic ../victim\nsave 0 /etc/motd 0\n\n",
	"ftop-trace journal 1\nboot 0\nroot 1 2 x\nsave 0 tracing_on 2\n1\n\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
