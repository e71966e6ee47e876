/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver - runs a fuzz target on mutated seeds, the same ones for the same -s.
 *
 *   fuzz_container [-n EXECUTIONS] [-s SEED] [-i ONE] [-o DIR] [FILE...]
 *   fuzz_container -w DIR		writes the seeds there, as a corpus for libFuzzer
 *
 * FILEs are seeds beside the target's own.  Execution N of a seed is the same
 * whatever ran before it, so -i N alone repeats it; one that crashes or hangs is
 * also written to DIR (default: the working directory) and named on stderr.
 * Without -n: all seeds and up to 5000 executions, as many as 3 seconds have.  Prints TAP.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "tests/fuzz/structure.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/limits.h"

#define QUICK_EXECUTIONS	5000ull
#define QUICK_SECONDS		3
#define HANG_SECONDS		20
#define MAX_INPUT		(1u << 20)	/* bytes that a mutation may grow to */

struct seed {
	uint8_t	*data;
	size_t	 size;
};

struct seeds {
	struct seed	*all;
	size_t		 nr, cap;
};

struct input {
	uint8_t	*data;		/* [MAX_INPUT] */
	size_t	 size;
};

/* For the handlers of signals, which get no argument: what runs now. */
static struct {
	struct input	input;
	uint64_t	seed, execution;
	volatile sig_atomic_t progress;
	sig_atomic_t	last_progress;
	char		path[256];
} running;

static void add_seed(void *arg, const void *data, size_t size)
{
	struct seeds *seeds = arg;

	if (!size || size > MAX_INPUT)
		return;
	mem_grow(&seeds->all, seeds->nr, &seeds->cap);
	seeds->all[seeds->nr].data = mem_alloc(size);
	seeds->all[seeds->nr].size = size;
	memcpy(seeds->all[seeds->nr++].data, data, size);
}

static bool add_file(struct seeds *seeds, const char *path)
{
	uint8_t *data = mem_alloc(MAX_INPUT + 1);
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		free(data);
		return false;
	}
	size = fread(data, 1, MAX_INPUT + 1, file);
	fclose(file);
	add_seed(seeds, data, size);
	free(data);
	return true;
}

/* --- what goes wrong ----------------------------------------------------------------- */

static void save_bytes(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd >= 0) {
		ssize_t written = write(fd, data, size);

		(void)written;		/* there is nobody left to tell */
		close(fd);
	}
}

static void save_input(const char *what)
{
	save_bytes(running.path, running.input.data, running.input.size);
	fprintf(stderr, "%s: %s; repeat it with -s %llu -i %llu; input: %s\n", fuzz_name, what,
		(unsigned long long)running.seed, (unsigned long long)running.execution,
		running.path);
}

static void on_signal(int number)
{
	if (number == SIGPROF) {
		if (running.progress != running.last_progress) {
			running.last_progress = running.progress;
			return;
		}
		save_input("hangs");
		_exit(3);
	}
	save_input("crashed");
	signal(number, SIG_DFL);
	raise(number);
}

static void on_sanitizer(void)
{
	save_input("the sanitizer found this");
}

/* Of the sanitizers' runtime, where the program is built with one. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(void)
{
	const int numbers[] = { SIGPROF, SIGABRT };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_sanitizer);
	else
		signal(SIGSEGV, on_signal);
	limit_cpu(HANG_SECONDS);
}

/* --- mutations ------------------------------------------------------------------------- */

/* A place to change; zeros, most of which are padding, are passed over at first. */
static size_t pick(struct gen_random *r, const struct input *in)
{
	size_t at = gen_random_below(r, (uint32_t)in->size);

	for (int i = 0; i < 4 && !in->data[at]; i++)
		at = gen_random_below(r, (uint32_t)in->size);
	return at;
}

static void flip_bit(struct gen_random *r, struct input *in)
{
	in->data[pick(r, in)] ^= (uint8_t)(1u << gen_random_below(r, 8));
}

static void set_byte(struct gen_random *r, struct input *in)
{
	in->data[pick(r, in)] = (uint8_t)gen_random_u64(r);
}

/* Numbers at the edges of what a format can hold, in either byte order. */
static void set_number(struct gen_random *r, struct input *in)
{
	static const uint64_t edges[] = {
		0, 1, 2, 4, 8, 16, 0x7f, 0x80, 0xff, 0x100, 0x1ff, 0x200, 0xfff, 0x1000, 0x1001,
		0x7fff, 0x8000, 0xffff,
		0x10000, 0x100000, 0x7ffffff, 0x8000000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffff0, 0xffffffffffffffff,
	};
	static const unsigned int sizes[] = { 1, 2, 4, 8 };
	unsigned int size = sizes[gen_random_below(r, 4)];
	uint64_t v = edges[gen_random_below(r, sizeof(edges) / sizeof(edges[0]))];
	bool big = gen_random_one_in(r, 2);
	size_t at = pick(r, in);

	if (gen_random_one_in(r, 4))
		v = in->size + gen_random_below(r, 33) - 16;
	for (unsigned int i = 0; i < size && at + i < in->size; i++)
		in->data[at + i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

static void add_number(struct gen_random *r, struct input *in)
{
	in->data[pick(r, in)] += (uint8_t)(gen_random_below(r, 33) - 16);
}

static void cut(struct gen_random *r, struct input *in)
{
	if (gen_random_one_in(r, 4))
		in->size = 1 + gen_random_below(r, (uint32_t)in->size);
}

static void remove_block(struct gen_random *r, struct input *in)
{
	size_t at = pick(r, in);
	size_t len = 1 + gen_random_below(r, 64);

	if (len >= in->size - at || !at)
		return;
	memmove(in->data + at, in->data + at + len, in->size - at - len);
	in->size -= len;
}

static void insert_block(struct gen_random *r, struct input *in)
{
	size_t at = pick(r, in), from = pick(r, in);
	size_t len = 1 + gen_random_below(r, 64);

	if (len > MAX_INPUT - in->size || len > in->size - from)
		return;
	memmove(in->data + at + len, in->data + at, in->size - at);
	in->size += len;
	memmove(in->data + at, in->data + from, len);
}

static void copy_block(struct gen_random *r, struct input *in)
{
	size_t at = pick(r, in), from = pick(r, in);
	size_t len = 1 + gen_random_below(r, 32);

	if (len <= in->size - from && len <= in->size - at)
		memmove(in->data + at, in->data + from, len);
}

static void fill_block(struct gen_random *r, struct input *in)
{
	size_t at = pick(r, in);
	size_t len = 1 + gen_random_below(r, 64);

	memset(in->data + at, gen_random_one_in(r, 2) ? 0 : 0xff,
	       len < in->size - at ? len : in->size - at);
}

static void splice_seed(struct gen_random *r, struct input *in, const struct seeds *seeds)
{
	const struct seed *other = &seeds->all[gen_random_below(r, (uint32_t)seeds->nr)];
	size_t at = pick(r, in);
	size_t from = gen_random_below(r, (uint32_t)other->size);
	size_t len = 1 + gen_random_below(r, (uint32_t)(other->size - from));

	if (len > MAX_INPUT - at)
		len = MAX_INPUT - at;
	memcpy(in->data + at, other->data + from, len);
	if (at + len > in->size)
		in->size = at + len;
}

static void mutate(struct gen_random *r, struct input *in, const struct seeds *seeds)
{
	static void (*const mutations[])(struct gen_random *r, struct input *in) = {
		flip_bit, flip_bit, set_byte, set_byte, set_number, set_number, set_number,
		add_number, cut,
		remove_block, insert_block, copy_block, fill_block,
	};
	const struct seed *seed = &seeds->all[gen_random_below(r, (uint32_t)seeds->nr)];
	uint32_t nr = 1 + gen_random_below(r, 8);

	memcpy(in->data, seed->data, seed->size);
	in->size = seed->size;
	if (fuzz_pieces && gen_random_one_in(r, 2)) {
		fuzz_restructure(r, in->data, &in->size, MAX_INPUT);
		if (gen_random_one_in(r, 2))
			return;
	}
	if (!in->size)
		in->data[in->size++] = 0;
	if (gen_random_one_in(r, 16))
		splice_seed(r, in, seeds);
	while (nr--)
		mutations[gen_random_below(r, sizeof(mutations) / sizeof(mutations[0]))](r, in);
}

static void execute(const struct seeds *seeds, uint64_t execution)
{
	struct gen_random r;

	running.execution = execution;
	running.progress++;
	if (execution < seeds->nr) {		/* the seeds as they are come first */
		memcpy(running.input.data, seeds->all[execution].data, seeds->all[execution].size);
		running.input.size = seeds->all[execution].size;
	} else {
		gen_random_init(&r, running.seed ^ execution << 20);
		mutate(&r, &running.input, seeds);
	}
	LLVMFuzzerTestOneInput(running.input.data, running.input.size);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

struct plan {
	uint64_t	n;		/* 0: not given */
	int64_t		only;		/* one execution; -1 = all */
	const char	*dir;
	const char	*seeds;		/* write them there instead; NULL: no */
};

static bool parse_arguments(int argc, char **argv, struct plan *plan, struct seeds *seeds)
{
	int option;

	while ((option = getopt(argc, argv, "n:s:i:o:w:")) != -1) {
		switch (option) {
		case 'n': plan->n = strtoull(optarg, NULL, 0); break;
		case 's': running.seed = strtoull(optarg, NULL, 0); break;
		case 'i': plan->only = strtoll(optarg, NULL, 0); break;
		case 'o': plan->dir = optarg; break;
		case 'w': plan->seeds = optarg; break;
		default:
			fprintf(stderr,
				"usage: %s [-n EXECUTIONS] [-s SEED] [-i ONE] [-o DIR] [-w DIR] [FILE...]\n",
				argv[0]);
			return false;
		}
	}
	while (optind < argc)
		if (!add_file(seeds, argv[optind++]))
			return false;
	return true;
}

static void run_plan(const struct plan *plan, const struct seeds *seeds)
{
	uint64_t n = plan->only >= 0 ? 1 : plan->n ? plan->n : QUICK_EXECUTIONS;
	double start = now();
	uint64_t done = 0;

	snprintf(running.path, sizeof(running.path), "%s/crash-%s", plan->dir, fuzz_name);
	watch();
	printf("1..1\n");
	while (done < n && (plan->n || done < seeds->nr || now() - start < QUICK_SECONDS)) {
		execute(seeds, plan->only < 0 ? done : (uint64_t)plan->only);
		done++;
	}
	printf("ok 1 - %s: %llu executions, %.0f/s\n", fuzz_name, (unsigned long long)done,
	       (double)done / (now() - start + 1e-9));
}

static void write_seeds(const struct plan *plan, const struct seeds *seeds)
{
	char path[4096];

	for (size_t i = 0; i < seeds->nr; i++) {
		snprintf(path, sizeof(path), "%s/seed-%zu", plan->seeds, i);
		save_bytes(path, seeds->all[i].data, seeds->all[i].size);
	}
}

int main(int argc, char **argv)
{
	struct plan plan = { .only = -1, .dir = "." };
	struct seeds seeds = { 0 };
	bool ok;

	running.seed = 1;
	running.input.data = mem_alloc(MAX_INPUT);
	fuzz_seeds(add_seed, &seeds);
	ok = parse_arguments(argc, argv, &plan, &seeds);
	if (ok && !seeds.nr) {
		fprintf(stderr, "%s: there are no seeds\n", fuzz_name);
		ok = false;
	}
	if (ok && plan.seeds)
		write_seeds(&plan, &seeds);
	else if (ok)
		run_plan(&plan, &seeds);
	for (size_t i = 0; i < seeds.nr; i++)
		free(seeds.all[i].data);
	free(seeds.all);
	free(running.input.data);
	return ok ? 0 : 2;
}
