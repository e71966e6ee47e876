/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_marks - the bytes as the session file of a trace: marks, notes, filters, what is kept. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace.h"
#include "ui/rows/kept.h"

const char fuzz_name[] = "fuzz_marks";

static struct trace *trace;
static struct text identity;

static void open_trace(void)
{
	const struct trace_options options = { .nr_workers = 1, .hold_permille = -1 };
	char path[4200];
	const char *paths = path;

	snprintf(path, sizeof(path), "%s/graph-two-cpus/trace.dat", fuzz_recorded());
	trace = trace_open(&paths, 1, true, &options, NULL);
	assert(trace);
	trace_wait(trace);
	kept_identity(trace, &identity);
}

/* What was read can be written and read again. */
static void write_again(const struct places *places, const struct text *filters,
			const struct text *keeps, const struct kept_count *count)
{
	struct text t = { 0 }, filters_again = { 0 }, keeps_again = { 0 };
	struct kept_count again;
	struct places back;

	places_init(&back);
	kept_text(trace, &identity, places, filters, keeps, &t);
	assert(t.len > KEPT_MAX_BYTES ||
	       !kept_read(fuzz_file(text_str(&t), t.len), &identity, true, trace, &back,
			  &filters_again, &keeps_again, &again, NULL));
	assert(t.len > KEPT_MAX_BYTES ||
	       (again.marks <= count->marks && again.notes <= count->notes && !again.lost &&
		again.filters == count->filters));
	places_fini(&back);
	text_fini(&t);
	text_fini(&filters_again);
	text_fini(&keeps_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text filters = { 0 }, keeps = { 0 };
	struct trace_offset offsets[1] = { 0 };
	uint64_t numbers[KEPT_MAX_NUMBERS];
	struct ft_error err = { 0 };
	struct kept_count count;
	struct places places;
	const char *path;

	if (!trace)
		open_trace();
	path = fuzz_file(data, size);
	if (!path)
		return 0;
	places_init(&places);
	kept_offsets(path, &identity, true, trace, offsets);
	if (!kept_read(path, &identity, true, trace, &places, &filters, &keeps, &count, &err))
		write_again(&places, &filters, &keeps, &count);
	else
		assert(err.message[0]);
	kept_numbers(text_str(&keeps), numbers);
	places_fini(&places);
	text_fini(&filters);
	text_fini(&keeps);
	return 0;
}

static const char *const seeds[] = {
	"mark a 0:0:4 0\nmark b - 7574228000 0:80:1\nnote 0:0:9 0 here it waits\n"
	"filter sched_switch && cpu == 1\nkeep view 3\nkeep 6 sort run_ns\n",
	"offset 0 1500000\nmark z 1:0:1 0\nnote - 1 0:0:0 x\nnote 1:0:2 5 caf\303\251 \033[31m\n"
	"keep folds 1 2 ffff\nfilter \"two  blanks\" # no comment\nlater 1 2 3\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	if (!trace)
		open_trace();
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct text seed = { 0 };

		text_add(&seed, "ftop-trace marks 1\n");
		text_bytes(&seed, text_str(&identity), identity.len);
		text_add(&seed, seeds[i]);
		add(arg, text_str(&seed), seed.len);
		text_fini(&seed);
	}
}
