/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_ROW_H
#define FTOP_UI_ROWS_ROW_H
/* row - a row of the trace as printable text: rendered once, kept while it is on the screen. */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"
#include "ui/rows/shared.h"
#include "ui/screen/theme.h"

struct row {
	trace_ref	 ref;
	enum trace_row_kind kind;
	int64_t		 ts, key;
	unsigned int	 stream, file, buffer;
	int		 cpu, pid;
	int		 type_id;
	int64_t		 duration;	/* a call's duration in ns; -1: none */
	int		 depth;		/* a call's nesting depth, for its indent; -1: none */
	trace_ref	 leaf_exit;	/* exit of a leaf call (one row), or TRACE_REF_NONE */
	bool		 is_event;	/* trace_is_event(): it has columns */
	char		 mark;		/* the kernel's mark for a delay; '\0': not in the trace */
	bool		 is_stack;
	bool		 unknown;	/* no format for its type */
	bool		 says_itself;	/* its text needs no event name before it */
	bool		 filtered;	/* set by rows: no filter keeps it, it is dimmed */
	bool		 lost_known;
	uint64_t	 lost_count;
	int64_t		 gap_from, gap_to;
	bool		 gap_is_start;
	/* printable */
	struct text	 comm, flags, name, system, what;
	struct text	*frames;	/* a stack's frames, [nr_frames] */
	unsigned int	 nr_frames;
};

struct row_room {			/* the room for an event's text */
	int		 cells;		/* TRACE_TEXT_LONG: any */
	bool		 named;		/* they hold the event's name, too */
};

extern const struct row_room row_any_room;

/* Words in lines of events that are not the event's (filter_lines.adds). */
#define ROW_ADDS "CPU ▸ ▾ stack (empty) ←"

/*
 * Any thread may call it while @shared does not change.  @exit: the exit of a leaf call that begins
 * with @event, so that they are one row; or NULL.
 */
void row_render(struct row *row, const struct shared *shared, const struct trace_event *event,
		const struct trace_event *exit, const struct row_room *room);
struct place row_place(const struct row *row);
void row_fini(struct row *row);
void row_clear(struct row *row);	/* for reuse: keeps the memory of its texts */

/* Lost events before the first event of the trace: when the loss began is unknown. */
bool row_gap_opens_trace(const struct row *row);

/* The text of a row without columns: lost events, damage, a line of text. */
void row_sentence(const struct row *row, const struct shared *shared, int decimals,
		  struct text *out);

/* Time, CPU, task, event and text of a row, for what is not shown in columns. */
void row_plain_line(const struct row *row, const struct shared *shared, struct text *out);

/* Roles that rows are coloured by. */
enum role row_role(const struct row *row);	/* by kind and event */
enum role row_task_role(const struct row *row);
enum role row_pid_role(const char *comm, int pid);	/* a hue by name, a shade by pid */
enum role row_slow_role(int64_t ns, enum role normal);	/* a duration's; @normal if it is short */
enum role row_mark_role(char mark, enum role normal);
#endif
