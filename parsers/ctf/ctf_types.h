/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_TYPES_H
#define FTOP_PARSERS_CTF_CTF_TYPES_H
/*
 * ctf_types - event classes as event types with a format like the kernel's, and their events as
 * records of it.
 *
 * A record has the common fields, then the payload, then what contexts have: packet_NAME of a
 * packet, context_NAME of a stream, event_context_NAME of an event, or context_NAME if its stream
 * has none, and env_procname and env_vpid of the trace's environment.  Fields of the payload that
 * are called common_NAME are payload_common_NAME.
 * Integers keep their size; a member of a structure is STRUCTURE_MEMBER; strings lie behind all
 * fields, but names of tasks are char[16], as the kernel's are.  Of all else there is the text that
 * babeltrace2 prints.  The print format makes babeltrace2's text of the payload.
 */
#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/ctf/ctf_wire.h"
#include "src/base/index_map.h"
#include "src/base/name_table.h"
#include "src/base/text.h"

#define CTF_NOWHERE	UINT16_MAX

/* Fields that tell who runs: where they are in a record; CTF_NOWHERE: it has none. */
enum ctf_role {
	CTF_PREV_TID, CTF_NEXT_TID, CTF_PREV_COMM, CTF_NEXT_COMM,	/* of sched_switch */
	/* of lttng_statedump_process_state, and of perf_comm */
	CTF_DUMP_TID, CTF_DUMP_PID, CTF_DUMP_NAME,
	CTF_TID, CTF_VTID, CTF_PID, CTF_VPID, CTF_PROCNAME,	/* of contexts */
	/* of perf's events */
	CTF_PERF_CPU, CTF_PERF_TID, CTF_PERF_PID,
	CTF_COMMON_PID, CTF_COMMON_FLAGS, CTF_COMMON_PREEMPT,
	CTF_NR_ROLES
};

struct ctf_type {
	const bt_event_class *class;
	int		 id;		/* 0: there are too many */
	bool		 has_packet;	/* it has the context of the packet */
	bool		 tells_task;	/* perf_comm, perf_mmap …; not an event at time 0 */
	uint32_t	 size;		/* bytes of its fixed fields, a multiple of 4 */
	uint16_t	 at[CTF_NR_ROLES];
	uint32_t	 comms;		/* bits of roles: a name that lies there itself */
	struct ctf_slot	*slots;		/* owned, [nr_slots], in the order of its fields */
	unsigned int	 nr_slots, cap_slots;
};

struct ctf_types {
	struct ctf_type	**types;	/* owned, [nr] */
	unsigned int	 nr, cap;
	struct index_map by_class;
	struct name_table *formats;	/* owned: their numbers are the ids */
	uint32_t	 nr_formats;
	/* called with each new format, "SYSTEM\nOWN NAME\nname: …" */
	void		(*tell)(void *arg, int id, uint8_t lacks, const struct text *format);
	void		*arg;
};

/* The type of an event's class. */
const struct ctf_type *ctf_types_of(struct ctf_types *types, const bt_event *event);
void ctf_types_fini(struct ctf_types *types);

/*
 * The event as a record of its type; common_pid stays 0.  @record: replaced.  Return: false: a part
 * was left out, since the record became too long.
 */
bool ctf_record_make(const struct ctf_type *type, const bt_event *event, struct text *record);
#endif
