/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_BUNDLE_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_BUNDLE_H
/*
 * perfetto_bundle - the rows of a FtraceEventBundle: events of the kernel on a CPU.  Switches and
 * wake-ups may be compact: as columns, where a switch does not say what ran before it.
 *
 * The pass finds rows with it, and pages are made with it, from what the pass kept of it.
 */
#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_types.h"

struct perfetto_event {			/* a FtraceEvent */
	struct proto_field what;	/* its message */
	const uint8_t	*at;		/* where it begins in the bundle */
	uint64_t	 time;
	int		 pid;
	uint8_t		 flags;
	bool		 has_flags;
};

struct perfetto_running {		/* on a CPU, by compact events */
	char		 comm[16];
	int		 pid, prio;
	bool		 is_known;	/* perfetto_running_unknown otherwise */
};

extern const struct perfetto_running perfetto_running_unknown;

struct perfetto_compact {		/* a CompactSched; zeroed: none */
	const uint8_t	*bytes, *end;	/* borrowed */
	struct proto_reader columns[COMPACT_NUMBERS];	/* by number: packed numbers */
	struct proto_field *names;	/* owned, [nr_names] */
	unsigned int	 nr_names, cap_names;
};

enum perfetto_row { PERFETTO_NO_ROW, PERFETTO_EVENT, PERFETTO_SWITCH, PERFETTO_WAKING };

/* Rows that are to come. */
struct perfetto_rows {
	struct proto_reader events;	/* the bundle after the next event */
	const uint8_t	*done;		/* the last event that was taken ends here */
	struct perfetto_event event;	/* the next one, if has_event */
	const struct perfetto_compact *compact;	/* borrowed */
	struct proto_reader columns[COMPACT_NUMBERS];
	uint64_t	 switch_time, waking_time;	/* of the next ones */
	bool		 has_event, has_switch, has_waking;
	struct perfetto_running running;
	bool		 failed;	/* something is damaged */
};

/* What decides how a record is made. */
struct perfetto_context {
	const struct perfetto_types *types;
	uint32_t	 nr_types;	/* the first so many are known */
	const struct perfetto_names *symbols;
};

/* False: it is damaged; what could be read is there. */
bool perfetto_compact_read(struct perfetto_compact *compact, struct proto_reader r);
void perfetto_compact_fini(struct perfetto_compact *compact);

/*
 * Begin with the rows of a bundle, or of a part of it.  @compact: valid as long as the rows.
 * @running: what runs on the CPU then.
 */
void perfetto_rows_begin(struct perfetto_rows *rows, struct proto_reader bundle,
			 const struct perfetto_compact *compact,
			 const struct perfetto_running *running);

/*
 * What the next row is.  Compact events are in the order of time, since a wake-up is of the task
 * that runs then; an event is before those of its time.
 */
static inline enum perfetto_row perfetto_rows_next(const struct perfetto_rows *rows)
{
	bool is_switch = rows->has_switch &&
			 (!rows->has_waking || rows->switch_time <= rows->waking_time);

	if (rows->has_event &&
	    ((!rows->has_switch && !rows->has_waking) ||
	     rows->event.time <= (is_switch ? rows->switch_time : rows->waking_time)))
		return PERFETTO_EVENT;
	return is_switch ? PERFETTO_SWITCH : rows->has_waking ? PERFETTO_WAKING : PERFETTO_NO_ROW;
}

/* Continue after it; after an event. */
void perfetto_rows_skip(struct perfetto_rows *rows);
void perfetto_rows_next_event(struct perfetto_rows *rows);

/* Take the next record.  *time: by the bundle's clock.  False: there are no more. */
bool perfetto_rows_record(struct perfetto_rows *rows, const struct perfetto_context *context,
			  struct text *record, uint64_t *time);
#endif
