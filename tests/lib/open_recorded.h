/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_OPEN_RECORDED_H
#define FTOP_TESTS_LIB_OPEN_RECORDED_H
/*
 * open_recorded - a trace of a real kernel as the model of it; the test fails where it cannot be
 * opened. Include it behind <cmocka.h>.
 */
#include "src/commands/derived_names.h"
#include "src/trace/trace.h"
#include "tests/lib/recorded.h"

/* @permille: how far its directory is made; -1: to the end. */
static inline struct trace *open_held(const char *path, unsigned int nr_workers, int permille)
{
	struct trace_options options = { .nr_workers = nr_workers,
					 .filter_names = derived_names,
					 .hold_permille = permille };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, true, &options, &err);

	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

static inline struct trace *open_path(const char *path, unsigned int nr_workers)
{
	return open_held(path, nr_workers, -1);
}

/* One that recorded.h finds. */
static inline struct trace *open_recorded_held(const char *name, unsigned int nr_workers,
					       int permille)
{
	char path[4096];

	if (!recorded_path(name, "trace.dat", path, sizeof(path)))
		fail_msg("no recorded trace %s", name);
	return open_held(path, nr_workers, permille);
}

/* The same, while its directory is being made. */
static inline struct trace *open_recorded(const char *name, unsigned int nr_workers)
{
	return open_recorded_held(name, nr_workers, -1);
}

/* One of tests/data, for tests that know what is in which row of it. */
static inline struct trace *open_data_held(const char *name, unsigned int nr_workers, int permille)
{
	const char *data = getenv("FTOP_TEST_DATA");
	struct trace *trace;
	char path[4096];

	snprintf(path, sizeof(path), "%s/good/%s/trace.dat", data ? data : "tests/data", name);
	trace = open_held(path, nr_workers, permille);
	trace_wait(trace);
	return trace;
}

/* The same; its directory is made. */
static inline struct trace *open_data(const char *name, unsigned int nr_workers)
{
	return open_data_held(name, nr_workers, -1);
}
#endif
