/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_SAMPLE_H
#define FTOP_PARSERS_PERF_PERF_SAMPLE_H
/*
 * perf_sample - what a record of perf.data has, by the attributes of its event.  A sample has the
 * parts that sample_type names, in a fixed order; other records end with some of them (sample_id).
 *
 * Format: linux include/uapi/linux/perf_event.h.
 */
#include <stdbool.h>
#include <stdint.h>

#include "parsers/io/byte_reader.h"

#define PERF_ATTR_BYTES		136u	/* of the longest version that is read */

/* Bits of sample_type. */
enum perf_part {
	PERF_IP, PERF_TID, PERF_TIME, PERF_ADDR, PERF_READ, PERF_CALLCHAIN, PERF_ID, PERF_CPU,
	PERF_PERIOD, PERF_STREAM_ID, PERF_RAW, PERF_BRANCH_STACK, PERF_REGS_USER, PERF_STACK_USER,
	PERF_WEIGHT, PERF_DATA_SRC, PERF_IDENTIFIER, PERF_TRANSACTION, PERF_REGS_INTR,
	PERF_PHYS_ADDR, PERF_AUX, PERF_CGROUP, PERF_DATA_PAGE_SIZE, PERF_CODE_PAGE_SIZE,
	PERF_WEIGHT_STRUCT,
};
#define PERF_NR_PARTS	(PERF_WEIGHT_STRUCT + 1)

enum perf_attr_type {
	PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT, PERF_TYPE_HW_CACHE,
	PERF_TYPE_RAW,
};

enum perf_target { PERF_OF_UNKNOWN, PERF_OF_ALL, PERF_OF_TASKS };	/* see perf_target.h */

/* Where parts are that each record is asked for; 0: not there. */
struct perf_places {
	uint16_t	time, tid, cpu;	/* bytes: of a sample from its header on, of others from
					 * their end back */
	uint16_t	raw;		/* of a sample, if what stands before it has a fixed size */
	uint16_t	least;		/* bytes of a record that has the first three */
};

struct perf_attr {
	uint32_t	type;		/* enum perf_attr_type, or a PMU */
	uint64_t	config;		/* of a tracepoint: its id */
	uint64_t	period;		/* of samples that have none */
	uint64_t	sample_type, read_format, branch_type, regs_user, regs_intr;
	bool		sample_id_all;
	bool		enable_on_exec;	/* counts from the moment on that a program starts */
	enum perf_target target;	/* as far as records tell */
	bool		inherit;	/* children of a task have counts of their own */
	bool		use_clockid;
	int32_t		clockid;
	struct perf_places in_sample, in_others;
	uint8_t		parts[PERF_NR_PARTS];	/* of a sample, [nr_parts], in their order */
	uint8_t		nr_parts;
	char		*name;		/* owned; NULL: unknown */
};

enum perf_record_type {			/* those of the kernel, then of perf, that are read */
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_TRACING_DATA = 66,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_SIMPLEPERF = 32768,	/* and beyond: those of Android's simpleperf */
	PERF_RECORD_SIMPLEPERF_TRACING = 32777,
};
#define PERF_HEADER_BYTES	8u
#define PERF_READ_ID		4u	/* of read_format: whose count it is */
#define PERF_READ_GROUP		8u	/* counts of all events of a group */

struct perf_record {
	const uint8_t	*data;		/* with its header; borrowed */
	uint64_t	 offset;	/* of its header in the file */
	uint32_t	 type;
	uint16_t	 misc;
	uint16_t	 size;		/* bytes, with the header */
};

/* What each record is asked for. */
struct perf_stamp {
	uint64_t	ts;		/* ns; without times: the offset in the file */
	int		cpu;		/* -1: unknown */
	int		pid, tid;	/* -1: unknown */
};

struct perf_sample {
	uint64_t	values[PERF_NR_PARTS];	/* by enum perf_part: numbers that the sample has */
	const uint8_t	*chain;		/* addresses and contexts, of 8 bytes; borrowed */
	uint64_t	nr_chain;
	const uint8_t	*raw;		/* borrowed */
	uint32_t	raw_bytes;
	const uint8_t	*counts;	/* of its event, or of all of its group; borrowed,
					 * [nr_counts], each of count_bytes */
	uint32_t	nr_counts, count_bytes;
	uint32_t	id_at;		/* of a count: where it tells whose it is */
};

/* @bytes: [@len] of the file.  False: it is too short. */
bool perf_attr_read(struct perf_attr *attr, const uint8_t *bytes, uint32_t len, bool big_endian);

/* False: the record has no such parts, or ends before them. */
static inline bool perf_record_stamp(const struct perf_attr *attr, const struct perf_record *record,
				     bool swap, struct perf_stamp *stamp)
{
	bool is_sample = record->type == PERF_RECORD_SAMPLE;
	const struct perf_places *at = is_sample ? &attr->in_sample : &attr->in_others;
	const uint8_t *from = is_sample ? record->data : record->data + record->size;
	const int sign = is_sample ? 1 : -1;

	*stamp = (struct perf_stamp){ record->offset, -1, -1, -1 };
	if ((!is_sample && !attr->sample_id_all) || at->least > record->size)
		return false;
	if (at->time)
		stamp->ts = load_u64(from + sign * at->time, swap);
	if (at->cpu)
		stamp->cpu = (int)load_u32(from + sign * at->cpu, swap);
	if (at->tid) {
		stamp->pid = (int)load_u32(from + sign * at->tid, swap);
		stamp->tid = (int)load_u32(from + sign * at->tid + 4, swap);
	}
	return true;
}

/* Is a sample's raw data a record of the kernel? */
static inline bool perf_attr_is_raw(const struct perf_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT && attr->sample_type >> PERF_RAW & 1;
}

/* Do samples have what their events counted so far, instead of a period? */
static inline bool perf_attr_has_counts(const struct perf_attr *attr)
{
	return attr->sample_type >> PERF_READ & 1 && attr->read_format & PERF_READ_ID;
}

/* Count @i of a sample, and whose it is. */
uint64_t perf_sample_count(const struct perf_sample *sample, unsigned int i, bool swap,
			   uint64_t *id);

/* False: the record ends before its parts do.  Values that it does not have are not set. */
bool perf_sample_read(const struct perf_attr *attr, const struct perf_record *record, bool swap,
		      struct perf_sample *sample);

/*
 * The raw data of a sample, [*bytes], without a look at its other parts.  NULL: they have to be
 * read, or it is not all there.
 */
const uint8_t *perf_sample_raw(const struct perf_attr *attr, const struct perf_record *record,
			       bool swap, uint32_t *bytes);

/* What a context in a chain says of the addresses behind it. */
enum perf_space { PERF_SPACE_KERNEL, PERF_SPACE_USER, PERF_SPACE_OTHER };
/* False: it is an address. */
bool perf_chain_context(uint64_t entry, enum perf_space *space);
/* Where a record was when it was made. */
enum perf_space perf_record_space(const struct perf_record *record);
/* Where the addresses of a sample's chain are: bits of enum perf_space. */
uint32_t perf_sample_spaces(const struct perf_sample *sample, const struct perf_record *record,
			    bool swap);
#endif
