/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_TYPES_H
#define FTOP_PARSERS_LINES_LINE_TYPES_H
/*
 * line_types - the event types of a text trace: what a line's event is called, and where its fields
 * are in the text.
 *
 * A text has no formats.  Fields are found by the patterns of formats that were given, or of a
 * table (line_known.h); those of other events are the pairs name=value of their first lines.  Each
 * type gets a format file, as if tracefs had it: see line_file.h for the records.
 */
#include "parsers/lines/text_slice.h"
#include "src/base/index_map.h"
#include "src/base/text.h"

#define LINE_MAX_FIELDS	48u
#define LINE_MAX_TYPES	60000u		/* most types: their ids have 16 bits */
#define LINE_FIELDS_AT	16u		/* bytes of a record before its fields */

/* Names of event types or functions, found by their text: each has a number. */
struct line_names {			/* zeroed: empty */
	struct index_map map;
	struct text_slice *names;	/* owned, [nr]; their texts are the caller's */
	unsigned int	 nr, cap;
};

/* UINT32_MAX: there is none. */
static inline unsigned int line_names_find(const struct line_names *names, struct text_slice name)
{
	index_map_each (&names->map, index_map_hash_bytes(name.s, name.len), i)
		if (slice_same(names->names[i], name))
			return i;
	return UINT32_MAX;
}

/* @name: lives as long as the table. */
static inline void line_names_add(struct line_names *names, struct text_slice name)
{
	mem_grow(&names->names, names->nr, &names->cap);
	names->names[names->nr] = name;
	index_map_add(&names->map, index_map_hash_bytes(name.s, name.len), names->nr++);
}

static inline void line_names_fini(struct line_names *names)
{
	index_map_fini(&names->map);
	free(names->names);
}

enum line_kind {			/* template_kinds[] has their words, in this order */
	LINE_NUMBER,			/* s64: 12, -1, 0x1f */
	LINE_INT,			/* int, the same */
	LINE_ADDRESS,			/* void *: 0xffff…, hexadecimal without 0x, too */
	LINE_COMM,			/* char[16] */
	LINE_STRING,			/* __data_loc char[] */
	LINE_STATE,			/* long: the letters of a task state, as bits */
	LINE_SYMBOL,			/* unsigned long: a function's name, as an address */
	LINE_CALLER,			/* unsigned long[]: the lines of a stack */
	LINE_CALL_NR,			/* int: call_nr */
	LINE_SECONDS,			/* u64: seconds with decimals, as ns */
	LINE_DEVICE,			/* dev_t: 254,16 */
	LINE_ACTION,			/* int: letters of the blk tracer (Q, D, C) as a number */
	LINE_SECTORS,			/* int: as bytes */
	LINE_ACCESS,			/* char: R, W, MAP … of mmiotrace, or their number */
	LINE_HIT,			/* char: 1 of "ok" and 1, else 0 */
	LINE_OCTAL,			/* s64: 755, 0755 */
	LINE_CHAR,			/* char: the first byte */
	LINE_ARGS,			/* unsigned long[6]: "7, 55d0, 0", hexadecimal */
	LINE_PRINTED,			/* __data_loc char[]: text that a print format computes */
};

struct line_field {
	const char	*name;		/* "": a value without a name, which records do not have */
	enum line_kind	 kind;
	bool		 is_sure;	/* its kind: lines do not change it */
	bool		 is_told;	/* by one of the lines that decide */
	bool		 is_signed, is_pointer;
	uint16_t	 offset, size;	/* in the record; 0: by its kind, until it is placed */
	const char	*type;		/* its type in C: "pid_t", "char[16]"; NULL: by its kind */
};

/* A field's value begins behind the next @before, and ends before that of the next one. */
struct line_piece {
	const char	*before;
	size_t		 len;
	unsigned int	 field;
};

struct line_pattern {
	struct line_pattern *next;	/* tried where this one does not fit */
	struct text_slice tail;		/* behind the last value */
	bool		 is_loose;	/* name=value: other text may stand between */
	/* behind the name and the pid of the type's only pair: no more of a text is needed to find
	 * these; NULL: all of it is */
	const struct line_piece *behind;
	unsigned int	 nr;
	struct line_piece pieces[];	/* [nr] */
};

#define LINE_MAX_PAIRS	2u
/* Lines that decide which fields an event has, and what kinds of values these have. */
#define LINE_SAMPLES	64u

struct line_type {			/* with all that it points to: in the arena of line_types */
	int		 id;		/* from 1 */
	const char	*name, *system;
	uint64_t	 lines;		/* that were looked at */
	bool		 is_call;	/* a system call's event */
	uint32_t	 call_nr;	/* made up: the same for its entries and exits */
	bool		 has_symbols;	/* a field of a pattern is a function */
	bool		 has_flags;	/* a line of it has common_flags */
	unsigned int	 nr_fields;
	unsigned int	 state;		/* field of the kind LINE_STATE; nr_fields: none */
	struct line_field *fields;	/* [nr_fields] */
	struct line_pattern *patterns;	/* NULL: no fields */
	bool		 is_known;	/* a system call, or a pattern is that of a format or of the
					 * table */
	bool		 fits;		/* it does, in one of the lines that decide */
	const struct line_pattern *last;	/* that fitted a text; NULL: none so far */
	unsigned int	 nr_pairs;	/* fields with names of tasks and their pids */
	struct {
		unsigned int comm, pid;	/* fields; pid == nr_fields: that of the line's task */
	}		 pairs[LINE_MAX_PAIRS];
	uint32_t	 most;		/* bytes of its fields, at most */
	uint32_t	 size;		/* bytes of a record's fixed part */
};

struct line_formats;			/* line_known.h */

struct line_types {			/* zeroed: empty */
	const struct line_formats *formats;	/* borrowed; NULL: none */
	struct line_type **types;	/* owned, [nr] */
	unsigned int	 nr, cap;
	struct line_names names;	/* finds a type by its name; "system:name" in perf script */
	struct arena	 arena;
};

/* The value of a field, borrowed from the line; s is NULL where it is missing. */
struct line_values {
	struct text_slice v[LINE_MAX_FIELDS];
};

void line_types_fini(struct line_types *types);

/*
 * What the event of a line is called, and the text that has its fields.  @tracer: named by the
 * header, for events without a name.  @buf: room for a name that the text does not have as such.
 */
#define LINE_NAME_MAX	72u
struct text_slice line_event_name(const struct text_line *line, struct text_slice tracer,
				  char buf[LINE_NAME_MAX], struct text_slice *body);

/* The text behind an event's name and its colon, which a remote's line does not have. */
static inline struct text_slice line_event_body(const struct text_line *line)
{
	const char *at = line->event.s + line->event.len, *end = line->text.s + line->text.len;

	at += at < end;
	while (at < end && *at == ' ')
		at++;
	return (struct text_slice){ at, (size_t)(end - at) };
}

/* The name of a line of function_graph; its fields are in the whole line. */
struct text_slice line_call_type(bool is_exit, bool has_caller);

/* NULL: unknown.  Any thread, while none adds. */
struct line_type *line_types_find(const struct line_types *types, struct text_slice name);

/* Add a type, or look at another line of it.  Return: NULL if there are too many. */
struct line_type *line_types_learn(struct line_types *types, struct text_slice name,
				   struct text_slice body);

/* Return: the pattern that fits; NULL: none. */
const struct line_pattern *line_type_values(const struct line_type *type, struct text_slice body,
					    struct line_values *values);

/* Lay out the records of all types, when no more lines are looked at. */
void line_types_place(struct line_types *types);
/*
 * Append the format file of a type.  @id: its number there.  @has_text: for records that
 * line_record_file() makes.
 */
void line_type_format(const struct line_type *type, int id, bool has_text, struct text *out);

/* A number as lines have them; *end: behind it.  False: it is none, *v is 0. */
bool line_number(struct text_slice t, int64_t *v, size_t *end);
#endif
