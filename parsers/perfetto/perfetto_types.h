/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_TYPES_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_TYPES_H
/*
 * perfetto_types - event types of a trace of Perfetto, and the records of its events.
 *
 * Perfetto knows some hundred events of the kernel by number (ftrace.events).  It describes others
 * in the trace, or each one in itself ("generic").  Each type gets a format like those of tracefs,
 * with the kernel's names of the event and its fields.
 */
#include "parsers/perfetto/perfetto_names.h"
#include "parsers/perfetto/proto_reader.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define PERFETTO_RECENT	1024u

struct source_formats;

enum perfetto_kind {			/* what a field holds */
	PERFETTO_INT, PERFETTO_U32, PERFETTO_S64, PERFETTO_U64,
	PERFETTO_FUNCTION,		/* an address, or the number of a function's name */
	PERFETTO_COMM,			/* char[16] */
	PERFETTO_STRING, PERFETTO_BYTES, PERFETTO_ARRAY,	/* __data_loc */
	PERFETTO_ARGS,			/* unsigned long[6] */
	PERFETTO_TAIL,			/* text up to the end of the record */
};

struct perfetto_field {
	const char	*name;
	uint32_t	 number;	/* in its message */
	enum perfetto_kind kind;
	uint16_t	 offset;	/* in the record */
};

struct perfetto_type {
	const char	*system, *name;
	uint32_t	 number;	/* in FtraceEvent; 0: generic */
	uint32_t	 nr;		/* index among all types */
	int		 id;		/* of its records; 0: no event so far */
	uint64_t	 seen;		/* bits of fields by index: an event has it, so the kernel's
					 * format does */
	uint32_t	 numbers;	/* bits of the numbers of fields that were looked at */
	uint32_t	 in_page;	/* events of the page that the pass finds */
	uint8_t		 growth;	/* bytes of a record for one of the message, at most */
	bool		 has_arrays;
	bool		 lacks_flags;	/* an event does not have them */
	unsigned int	 nr_fields, size;
	struct perfetto_field *fields;	/* [nr_fields] */
	uint8_t		*image;		/* [size]: a record before its fields are set */
};

struct perfetto_types {			/* zeroed, then perfetto_types_init() */
	struct arena	 arena;		/* has all that types point to */
	struct perfetto_type **types;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct perfetto_type *recent[PERFETTO_RECENT];	/* that were found last, by number */
	struct index_map numbers, names;	/* of types by number; generic ones by name */
	struct perfetto_type **used;	/* owned, [nr_used]: by id, from 1 */
	unsigned int	 nr_used, cap_used;
	struct text	 formats;	/* made by perfetto_types_place() */
	size_t		*places;	/* owned, [nr_used + 1]: where each begins there */
};

void perfetto_types_init(struct perfetto_types *types);
void perfetto_types_fini(struct perfetto_types *types);

/* NULL: there is none. */
struct perfetto_type *perfetto_types_number(const struct perfetto_types *types, uint32_t number);
/* The same; remembers what it has found: not for several threads. */
static inline struct perfetto_type *perfetto_types_find(struct perfetto_types *types,
							uint32_t number)
{
	struct perfetto_type **recent = &types->recent[number % PERFETTO_RECENT];

	if (!*recent || (*recent)->number != number)
		*recent = perfetto_types_number(types, number);
	return *recent;
}
const struct perfetto_type *perfetto_types_named(const struct perfetto_types *types,
						 const char *name);
const struct perfetto_field *perfetto_type_field(const struct perfetto_type *type,
						 const char *name);
static inline bool perfetto_field_is_text(const struct perfetto_field *field)
{
	return field->kind == PERFETTO_COMM || field->kind == PERFETTO_STRING ||
	       field->kind == PERFETTO_TAIL;
}
/* Take a GenericEventDescriptor.  False: it is damaged. */
bool perfetto_types_describe(struct perfetto_types *types, struct proto_reader descriptor);
/*
 * The type of a GenericFtraceEvent: it has all its fields.  NULL: the message is damaged, or there
 * are too many types.
 */
struct perfetto_type *perfetto_types_generic(struct perfetto_types *types,
					     struct proto_reader event);
/*
 * The type that these two found for a message when there were @nr types; any thread, when all types
 * are there.
 */
const struct perfetto_type *perfetto_types_known(const struct perfetto_types *types, uint32_t nr,
						 const struct proto_field *message);

/* The type has an event.  False: there are too many types. */
bool perfetto_types_use(struct perfetto_types *types, struct perfetto_type *type);
/* An event has these fields.  False: the message is damaged. */
bool perfetto_type_see(struct perfetto_type *type, struct proto_reader message);
void perfetto_type_see_field(struct perfetto_type *type, uint32_t number);
/* Bytes of a record, at most.  @message: bytes of the event's message. */
static inline uint64_t perfetto_type_most(const struct perfetto_type *type, uint64_t message)
{
	return type->size + message * type->growth;
}

/* Begin a record of a type that has events: common fields, all others 0 or empty. */
void perfetto_type_begin(const struct perfetto_type *type, int pid, uint8_t flags,
			 struct text *record);
/* Set the fields that a message has, up to where it is damaged.  @symbols: names of functions */
void perfetto_type_fill(const struct perfetto_type *type, struct proto_reader message,
			const struct perfetto_names *symbols, struct text *record);
void perfetto_type_fill_generic(const struct perfetto_type *type, struct proto_reader message,
				struct text *record);
/* Set a field by its number in the message: a number, or a string. */
void perfetto_type_set(const struct perfetto_type *type, uint32_t number, uint64_t value,
		       struct text *record);
void perfetto_type_set_text(const struct perfetto_type *type, uint32_t number, const char *s,
			    size_t len, struct text *record);

/* Make the formats of all types that have events.  @release: of the kernel; 0: unknown. */
void perfetto_types_place(struct perfetto_types *types, unsigned int release);
void perfetto_types_formats(const struct perfetto_types *types, struct source_formats *formats);
#endif
