/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_HOST_VCPUS_H
#define FTOP_SRC_SCHED_HOST_VCPUS_H
/*
 * host_vcpus - when the host did not run the CPUs of its guest: the states of the vCPU tasks in the
 * host's file, except when they ran.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_rules.h"
#include "src/trace/trace_guests.h"

struct host_stay {			/* time off the host's CPUs, or UNKNOWN */
	int64_t		from, to;	/* in the time of both files */
	uint8_t		state;		/* SCHED_UNKNOWN, WAITS, PREEMPTED, SLEEPS or BLOCKED */
	bool		doubtful;	/* rule 6: records are missing */
	uint32_t	by;		/* PREEMPTED: the pid that ran instead */
};

struct host_vcpu {
	int		cpu;		/* of the guest */
	uint32_t	pid;		/* of the host */
	struct host_stay *stays;	/* owned, [nr] ascending */
	uint32_t	nr, cap;
};

struct host_vcpus {
	struct trace	*host;		/* borrowed */
	unsigned int	file;
	unsigned int	nr;
	struct host_vcpu *vcpus;	/* owned, [nr] */
};

/*
 * Reads the host's switches and wake-ups, once.  A worker may call it.  NULL: stopped, or the
 * host's file has no switches.
 */
struct host_vcpus *host_vcpus_new(const struct trace_host *host, const atomic_bool *stopped);
void host_vcpus_free(struct host_vcpus *vcpus);	/* NULL is allowed */

/*
 * The next such time of a guest CPU that overlaps [from, to).  *i: 0 at first.  NULL: there are no
 * more.  Outside the host's records, and for a CPU that the host's file does not name, it is
 * UNKNOWN.
 */
const struct host_stay *host_vcpus_next(const struct host_vcpus *vcpus, int cpu, int64_t from,
					int64_t to, uint32_t *i);
/* Append "vCPU task qemu-612 preempted by make-99". */
void host_stay_text(const struct host_vcpus *vcpus, int cpu, enum sched_state state, uint32_t by,
		    int64_t ts, struct text *out);
#endif
