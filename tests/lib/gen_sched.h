/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_GEN_SCHED_H
#define FTOP_TESTS_GEN_SCHED_H
/*
 * gen_sched - made-up traces of sched events, the same for the same seed, with the plain
 * list of what is in them.
 *
 * Tasks are played on some CPUs: they are woken, migrate, are switched to and from, exit, and their
 * pids are used again. Then records go missing, as the options say, or tell what cannot be.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "src/base/error.h"
#include "tests/lib/gen_trace.h"

enum gen_sched_type {
	GEN_SCHED_SWITCH = 310,
	GEN_SCHED_WAKING,
	GEN_SCHED_WAKEUP,
	GEN_SCHED_WAKEUP_NEW,
	GEN_SCHED_MIGRATE,
	GEN_SCHED_STAT,		/* of system sched, and of no use */
	GEN_SCHED_SOFTIRQ_ENTRY,
	GEN_SCHED_SOFTIRQ_EXIT,
	GEN_SCHED_IRQ_ENTRY,
	GEN_SCHED_IRQ_EXIT,
	GEN_SCHED_TICK = GEN_TYPE_TICK,
};

enum gen_sched_era { GEN_SCHED_2_6, GEN_SCHED_3, GEN_SCHED_4_14, GEN_SCHED_7, GEN_SCHED_ERAS };

struct gen_sched_options {
	uint64_t	seed;
	struct gen_layout layout;
	enum gen_sched_era era;		/* of the formats */
	int		nr_cpus, cpu_step;
	uint32_t	steps;		/* of the play: about as many records */
	uint32_t	nr_tasks;
	uint32_t	max_delta;	/* ns between steps; 0 = 20000 */
	unsigned int	pauses;		/* permille of the records: nothing was recorded for 2 to
					 * 6 s before */
	unsigned int	missing;	/* permille: records left out */
	unsigned int	chaos;		/* permille: records of anything */
	unsigned int	loss;		/* permille of the sub-buffers:
					   with a mark, and records gone */
	unsigned int	backwards;	/* permille of the sub-buffers: begin
					   before the last one ended */
	bool		ties;		/* stamps are multiples of 1000 */
	bool		no_waking, no_wakeup, no_switch, no_migrate;	/* not recorded */
	int		mute_cpu;	/* + 1: its switches from idle are not recorded,
					   as some kernels have it; 0: none */
	bool		interrupts;
	int		node_cpus;	/* the machine: so many CPUs share a node, 16 a cache, 2 a
					   core; 0: nothing is known of it */
	int		idle_node;	/* + 1: all of its CPUs idle; 0: none */
	int		hot_cpu;	/* + 1: the first task runs there alone; 0: none */
	const char	*tasks;		/* block "tasks" of our section; NULL: none */
	bool		second_buffer;	/* an instance has them, and the
					   top buffer has ticks alone */
};

/* Options of all kinds, by a number. */
struct gen_sched_options gen_sched_sample(uint64_t seed, uint32_t steps);

struct gen_sched_event {
	int64_t		ts;
	int64_t		key;		/* running maximum of ts on its CPU */
	int		cpu;
	bool		lost;		/* a mark lies between it and the one before on its CPU,
					   or before the first one */
	uint16_t	type;		/* enum gen_sched_type */
	uint8_t		flags;		/* common_flags */
	int32_t		common_pid;
	int32_t		pid, pid2;	/* prev, or of whom it tells; next */
	int32_t		prio, prio2;
	uint32_t	state;		/* prev_state; irq, vec */
	int32_t		target;		/* target_cpu, dest_cpu */
	char		comm[16], comm2[16];
};

struct gen_sched {
	struct gen_sched_options options;
	struct gen_sched_event *events;	/* [nr], in the merged order: key, CPU, position */
	uint32_t	nr, cap;
	struct gen_sched_page {
		int	cpu;
		uint8_t	*bytes;
	}		*pages;		/* [nr_pages], of each CPU in their order */
	uint32_t	nr_pages, cap_pages;
};

struct gen_sched *gen_sched_new(const struct gen_sched_options *options);
void gen_sched_free(struct gen_sched *sched);	/* NULL is allowed */
int gen_sched_write(const struct gen_sched *sched, const char *path, struct ft_error *err);

/*
 * A line for each event: "cpu ts lost name common_pid flags pid comm prio pid2 comm2 prio2 state
 * target".
 */
void gen_sched_list(const struct gen_sched *sched, FILE *out);
/* "bit letter" for each letter of prev_state, and "bit +". */
void gen_sched_states(const struct gen_sched *sched, FILE *out);
#endif
