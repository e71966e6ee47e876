/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORDING_MEASURE_KEYS_H
#define FTOP_SRC_RECORDING_MEASURE_KEYS_H
/*
 * measure_keys - the keys of `record --measure`: how timerlat, osnoise and hwlat measure, and above
 * which time function_graph records a call.  The recorder, its lists and the record screen use this
 * table.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/options.h"
#include "src/base/text.h"

#define MEASURE_OPTIONS	"osnoise/options"	/* file of tracefs */

enum measure_kind {
	MEASURE_TIME,		/* written to the file in us */
	MEASURE_CPUS,		/* a list of CPUs */
	MEASURE_OPTION,		/* a word of the file; NO_ in front clears it */
	MEASURE_CHOICE,		/* one of the words of the file */
	MEASURE_PRIORITY,	/* of the tracer's threads */
	MEASURE_USER,		/* processes that timerlat wakes; the file is that of CPU 0 */
	MEASURE_KERNEL,		/* threads of the kernel that it wakes */
	MEASURE_LATENCY,	/* a time, written to /dev/cpu_dma_latency */
};

struct measure_key {
	const char	*name;
	const char	*tracers;	/* that it applies to, separated by blanks */
	enum measure_kind kind;
	const char	*arg;		/* what its value is; NULL: it takes none */
	const char	*file;		/* of tracefs; NULL: none */
	uint64_t	 min_us, max_us;	/* that the kernel takes; of MEASURE_TIME */
	const char	*at_most;	/* file whose time is the limit, too; NULL: none */
	const char	*option;	/* a word for MEASURE_OPTIONS, too; NULL: none */
	const char	*since;		/* the first Linux with the file; NULL: they all have it */
	const char	*help;
	enum option_risk risk;	/* of a value that the browser gives */
};

/* The key number @i; NULL behind the last one.  A name has a row for each file that it means. */
const struct measure_key *measure_key(unsigned int i);

/* Does the key apply to a tracer?  NULL: no tracer. */
bool measure_key_fits(const struct measure_key *key, const char *tracer);

/* Parse "100us", "1ms", "2s"; without a unit it is us.  False: it is no such time. */
bool measure_time(const char *text, uint64_t *us);
void measure_time_text(uint64_t us, struct text *out);	/* "100us", "1ms" */
#endif
