/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_NEW_FILTER_H
#define FTOP_TESTS_LIB_NEW_FILTER_H
/*
 * new_filter - filters of one expression, about all files; the test fails where it is wrong.  For
 * filter_free(). Include it behind <cmocka.h>.
 */
#include "src/filter/filter.h"

static inline struct filter *new_filter_of(struct trace *trace, const struct filter_source *source)
{
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(trace, source, 1, NULL, &err);

	if (!filter)
		fail_msg("%s: %s", source->text, text_str(&err.message));
	return filter;
}

/* What it asks of models may not be known yet. */
static inline struct filter *new_filter(struct trace *trace, const char *text)
{
	return new_filter_of(trace, &(struct filter_source){ .text = text, .file = -1 });
}

/* The same when these are made. */
static inline struct filter *new_ready_filter(struct trace *trace, const char *text)
{
	struct filter *filter = new_filter(trace, text);

	filter_wait(filter);
	assert_true(filter_ready(filter));
	return filter;
}
#endif
