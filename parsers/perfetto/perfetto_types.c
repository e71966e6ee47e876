/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/ftrace_events.h"
#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_types_private.h"
#include "parsers/source/source_form.h"

#define FIELDS_AT	8u		/* behind the common fields */
#define MOST_FIELDS	64u
#define MOST_TYPES	32768u
#define NAME_BYTES	64u
#define NR_ARGS		6u

const struct perfetto_kind_info perfetto_kinds[] = {
	[PERFETTO_INT]	    = { "", "int", 4, true },
	[PERFETTO_U32]	    = { "u32", "unsigned int", 4, false },
	[PERFETTO_S64]	    = { "s64", "long", 8, true },
	[PERFETTO_U64]	    = { "u64", "u64", 8, false },
	[PERFETTO_FUNCTION] = { "func", "unsigned long", 8, false },
	[PERFETTO_COMM]	    = { "comm", "char", 16, false },
	[PERFETTO_STRING]   = { "str", "__data_loc char[]", 4, false },
	[PERFETTO_BYTES]    = { "bytes", "__data_loc u8[]", 4, false },
	[PERFETTO_ARRAY]    = { "array", "__data_loc unsigned long[]", 4, false },
	[PERFETTO_ARGS]	    = { "u64[]", "unsigned long", 8 * NR_ARGS, false },
	[PERFETTO_TAIL]	    = { "tail", "char", 0, false },
};

static bool is_located(enum perfetto_kind kind)
{
	return kind == PERFETTO_STRING || kind == PERFETTO_BYTES || kind == PERFETTO_ARRAY;
}

/* --- making types --------------------------------------------------------------------------- */

/* A type while it is made. */
struct type_maker {
	struct perfetto_types *types;
	struct perfetto_type type;
	struct perfetto_field fields[MOST_FIELDS];
	char		 names[MOST_FIELDS + 2][NAME_BYTES + 1];
	unsigned int	 nr_names;
};

/* A name that formats can have.  @to: [NAME_BYTES + 1] */
static void clean_name(const struct proto_field *f, char *to)
{
	size_t len = f->value < NAME_BYTES ? f->value : NAME_BYTES;

	for (size_t i = 0; i < len; i++)
		to[i] = isalnum(f->bytes[i]) ? (char)f->bytes[i] : '_';
	to[len] = '\0';
}

/* The same, until the type is made. */
static const char *take_name(struct type_maker *m, const struct proto_field *f)
{
	char *name = m->names[m->nr_names];

	if (f->kind != PROTO_BYTES || !f->value || m->nr_names == MOST_FIELDS + 2)
		return "unnamed";
	clean_name(f, name);
	m->nr_names++;
	return name;
}

static void add_field(struct type_maker *m, const char *name, uint32_t number,
		      enum perfetto_kind kind)
{
	size_t len = strlen(name);

	if (m->type.nr_fields == MOST_FIELDS)
		return;
	if (kind == PERFETTO_STRING && len >= 4 && !strcmp(name + len - 4, "comm"))
		kind = PERFETTO_COMM;
	m->fields[m->type.nr_fields++] =
		(struct perfetto_field){ .name = name, .number = number, .kind = kind };
}

/* Where fields are in a record.  Behind them is the empty string, if strings may be. */
static void place_fields(struct perfetto_type *type)
{
	uint32_t size = FIELDS_AT;
	bool has_strings = false;

	for (unsigned int i = 0; i < type->nr_fields; i++) {
		struct perfetto_field *f = &type->fields[i];
		uint32_t bytes = perfetto_kinds[f->kind].size, align = bytes > 4 ? 8 : 4;

		if (f->kind == PERFETTO_COMM)
			align = 1;
		size = (size + align - 1) & ~(align - 1);
		f->offset = (uint16_t)size;
		size += bytes;
		has_strings |= is_located(f->kind) || f->kind == PERFETTO_TAIL;
		type->has_arrays |= f->kind == PERFETTO_ARRAY || f->kind == PERFETTO_ARGS;
		if (f->kind == PERFETTO_ARRAY)	/* an element may be one byte there */
			type->growth = 8;
		else if (has_strings && !type->growth)
			type->growth = 1;
	}
	type->size = size + (has_strings ? 4 : 0);
}

static struct perfetto_type *end_type(struct type_maker *m)
{
	struct perfetto_types *types = m->types;
	struct perfetto_type *type = arena_copy(&types->arena, &m->type, sizeof(m->type));

	type->name = arena_strndup(&types->arena, type->name, strlen(type->name));
	type->system = arena_strndup(&types->arena, type->system, strlen(type->system));
	type->fields = arena_copy(&types->arena, m->fields,
				  type->nr_fields * sizeof(*m->fields) + 1);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		type->fields[i].name = arena_strndup(&types->arena, type->fields[i].name,
						     strlen(type->fields[i].name));
	place_fields(type);
	mem_grow(&types->types, types->nr, &types->cap);
	type->nr = types->nr;
	types->types[types->nr] = type;
	if (type->number)
		index_map_add(&types->numbers, index_map_hash(type->number), types->nr);
	else
		index_map_add(&types->names, index_map_hash_bytes(type->name, strlen(type->name)),
			      types->nr);
	types->nr++;
	return type;
}

struct perfetto_type *perfetto_types_number(const struct perfetto_types *types, uint32_t number)
{
	index_map_each (&types->numbers, index_map_hash(number), i)
		if (types->types[i]->number == number)
			return types->types[i];
	return NULL;
}

const struct perfetto_type *perfetto_types_named(const struct perfetto_types *types,
						 const char *name)
{
	for (uint32_t i = 0; i < types->nr; i++)
		if (!strcmp(types->types[i]->name, name))
			return types->types[i];
	return NULL;
}

const struct perfetto_field *perfetto_type_field(const struct perfetto_type *type, const char *name)
{
	for (unsigned int i = 0; i < type->nr_fields; i++)
		if (!strcmp(type->fields[i].name, name))
			return &type->fields[i];
	return NULL;
}

/* --- what Perfetto knows -------------------------------------------------------------------- */

/* The next word of a line, NUL-ended in the arena; NULL: the line ends. */
static char *take_word(struct arena *arena, const char **at)
{
	size_t len;

	*at += strspn(*at, " \t");
	len = strcspn(*at, " \n");
	*at += len;
	return len ? arena_strndup(arena, *at - len, len) : NULL;
}

static void take_field(struct type_maker *m, char *word, uint32_t *number)
{
	char *equals = strchr(word, '='), *colon = strchr(word, ':');
	enum perfetto_kind kind = PERFETTO_INT;

	if (equals)
		*number = (uint32_t)strtoul(word, NULL, 10);
	if (colon) {
		*colon++ = '\0';
		while (strcmp(perfetto_kinds[kind].word, colon) != 0)
			kind++;
	}
	add_field(m, equals ? equals + 1 : word, (*number)++, kind);
}

void perfetto_types_init(struct perfetto_types *types)
{
	const char *system = "";

	for (const char *at = ftrace_events; *at; at += *at == '\n') {
		struct type_maker m = { .types = types, .type.system = system };
		uint32_t number = 1;
		char *word = *at == '#' ? NULL : take_word(&types->arena, &at);

		if (!word) {
			at += strcspn(at, "\n");
		} else if (!strcmp(word, "system")) {
			system = take_word(&types->arena, &at);
		} else {
			m.type.name = word;
			m.type.number = (uint32_t)strtoul(take_word(&types->arena, &at), NULL, 10);
			while ((word = take_word(&types->arena, &at)))
				take_field(&m, word, &number);
			end_type(&m);
		}
	}
}

void perfetto_types_fini(struct perfetto_types *types)
{
	arena_fini(&types->arena);
	free(types->types);
	free(types->used);
	free(types->places);
	index_map_fini(&types->numbers);
	index_map_fini(&types->names);
	text_fini(&types->formats);
}

/* --- what the trace describes --------------------------------------------------------------- */

static enum perfetto_kind kind_of(uint64_t type, uint64_t label)
{
	static const uint8_t kinds[] = { [TYPE_INT64] = PERFETTO_S64, [TYPE_INT32] = PERFETTO_INT,
					 [TYPE_FIXED32] = PERFETTO_U32, [TYPE_BOOL] = PERFETTO_U32,
					 [TYPE_STRING] = PERFETTO_STRING,
					 [TYPE_BYTES] = PERFETTO_BYTES,
					 [TYPE_UINT32] = PERFETTO_U32 };
	enum perfetto_kind kind = type < sizeof(kinds) ? kinds[type] : PERFETTO_INT;

	if (kind == PERFETTO_STRING || kind == PERFETTO_BYTES)
		return kind;
	if (label == LABEL_REPEATED)
		return PERFETTO_ARRAY;
	return kind == PERFETTO_INT && type != TYPE_INT32 ? PERFETTO_U64 : kind;
}

static bool take_described(struct type_maker *m, struct proto_reader r)
{
	uint64_t number = 0, label = 0, type = 0;
	const char *name = NULL;
	struct proto_field f;

	while (proto_next(&r, &f))
		switch (f.number) {
		case FIELD_NAME: name = take_name(m, &f); break;
		case FIELD_NUMBER: number = f.value; break;
		case FIELD_LABEL: label = f.value; break;
		case FIELD_TYPE: type = f.value; break;
		default: break;
		}
	if (name && number && number <= UINT32_MAX)
		add_field(m, name, (uint32_t)number, kind_of(type, label));
	return !r.failed;
}

static bool take_message(struct type_maker *m, struct proto_reader r)
{
	bool good = true;
	struct proto_field f;

	while (good && proto_next(&r, &f))
		if (f.number == MESSAGE_NAME)
			m->type.name = take_name(m, &f);
		else if (f.number == MESSAGE_FIELD)
			good = take_described(m, proto_inside(&f));
	return good && !r.failed;
}

bool perfetto_types_describe(struct perfetto_types *types, struct proto_reader r)
{
	struct type_maker m = { .types = types, .type.system = "ftrace_event" };
	bool good = true;
	struct proto_field f;

	while (good && proto_next(&r, &f))
		if (f.number == DESCRIPTOR_NUMBER && f.value <= UINT32_MAX)
			m.type.number = (uint32_t)f.value;
		else if (f.number == DESCRIPTOR_GROUP)
			m.type.system = take_name(&m, &f);
		else if (f.number == DESCRIPTOR_EVENT)
			good = take_message(&m, proto_inside(&f));
	if (m.type.name && m.type.number && types->nr < MOST_TYPES &&
	    !perfetto_types_find(types, m.type.number))
		end_type(&m);
	return good && !r.failed;
}

/* --- events that describe themselves -------------------------------------------------------- */

/* The name of a field of a generic event, and the field that has its value. */
static bool read_generic(struct proto_reader r, struct proto_field *name, struct proto_field *value)
{
	struct proto_field f;

	*name = *value = (struct proto_field){ 0 };
	while (proto_next(&r, &f))
		*(f.number == GENERIC_FIELD_NAME ? name : value) = f;
	return !r.failed && name->kind == PROTO_BYTES;
}

static bool is_generic(const struct perfetto_type *type, const struct perfetto_type *wanted)
{
	if (strcmp(type->name, wanted->name) != 0)
		return false;
	for (unsigned int i = 0; i < wanted->nr_fields; i++) {
		const struct perfetto_field *f = &wanted->fields[i];
		const struct perfetto_field *same = perfetto_type_field(type, f->name);

		if (!same || same->kind != f->kind)
			return false;
	}
	return true;
}

/* What a generic event says of its type.  False: it is damaged. */
static bool describe_itself(struct type_maker *m, struct proto_reader r)
{
	struct proto_field f, name, value;

	while (proto_next(&r, &f))
		if (f.number == GENERIC_NAME) {
			m->type.name = take_name(m, &f);
		} else if (f.number == GENERIC_FIELD) {
			if (!read_generic(proto_inside(&f), &name, &value))
				return false;
			add_field(m, take_name(m, &name), m->type.nr_fields + 1,
				  value.kind == PROTO_BYTES   ? PERFETTO_STRING :
				  value.number == GENERIC_INT ? PERFETTO_S64 :
								PERFETTO_U64);
		}
	m->type.fields = m->fields;
	return !r.failed && m->type.name;
}

/* The first type that has all of its fields. */
static struct perfetto_type *find_generic(const struct perfetto_types *types,
					  const struct perfetto_type *wanted)
{
	uint32_t hash = index_map_hash_bytes(wanted->name, strlen(wanted->name)), nr = types->nr;

	index_map_each (&types->names, hash, i)
		if (i < nr && is_generic(types->types[i], wanted))
			nr = i;
	return nr < types->nr ? types->types[nr] : NULL;
}

struct perfetto_type *perfetto_types_generic(struct perfetto_types *types, struct proto_reader r)
{
	struct type_maker m = { .types = types, .type.system = "ftrace_event" };
	struct perfetto_type *type;

	if (!describe_itself(&m, r))
		return NULL;
	type = find_generic(types, &m.type);
	if (type || types->nr == MOST_TYPES)
		return type;
	type = end_type(&m);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		type->seen |= 1ull
			      << (perfetto_type_field(type, type->fields[i].name) - type->fields);
	return type;
}

static const struct perfetto_type *known_generic(const struct perfetto_types *types,
						 const struct proto_field *message)
{
	struct type_maker m = { 0 };

	return describe_itself(&m, proto_inside(message)) ? find_generic(types, &m.type) : NULL;
}

const struct perfetto_type *perfetto_types_known(const struct perfetto_types *types, uint32_t nr,
						 const struct proto_field *message)
{
	const struct perfetto_type *type = message->number == EVENT_IS_GENERIC ?
						   known_generic(types, message) :
						   perfetto_types_number(types, message->number);

	return type && type->nr < nr ? type : NULL;
}

/* --- records -------------------------------------------------------------------------------- */

static void make_image(struct perfetto_types *types, struct perfetto_type *type)
{
	uint32_t empty = 1u << 16 | (type->size - 4);

	type->image = arena_alloc(&types->arena, type->size);
	store_u16(type->image, (uint16_t)type->id, false);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		if (is_located(type->fields[i].kind))
			store_u32(type->image + type->fields[i].offset,
				  type->fields[i].kind == PERFETTO_STRING ? empty : empty & 0xffff,
				  false);
}

bool perfetto_types_use(struct perfetto_types *types, struct perfetto_type *type)
{
	if (type->id)
		return true;
	if (types->nr_used == UINT16_MAX - 1)
		return false;
	mem_grow(&types->used, types->nr_used, &types->cap_used);
	types->used[types->nr_used++] = type;
	type->id = (int)types->nr_used;
	make_image(types, type);
	return true;
}

void perfetto_type_begin(const struct perfetto_type *type, int pid, uint8_t flags,
			 struct text *record)
{
	text_clear(record);
	text_bytes(record, (const char *)type->image, type->size);
	record->data[2] = (char)flags;
	store_u32((uint8_t *)record->data + 4, (uint32_t)pid, false);
}

/* What sets the fields of a record. */
struct field_setter {
	const struct perfetto_names *symbols;	/* NULL: none */
	struct text	*record;
	unsigned int	 next;		/* field to look at first */
	unsigned int	 nr_args;	/* that are set */
};

static uint8_t *at_field(const struct field_setter *s, const struct perfetto_field *f)
{
	return (uint8_t *)s->record->data + f->offset;
}

/* Where the bytes of a field are, and how many. */
static void locate(const struct field_setter *s, const struct perfetto_field *f, size_t at,
		   size_t len)
{
	store_u32(at_field(s, f), (uint32_t)len << 16 | ((uint32_t)at & 0xffff), false);
}

static void set_text(struct field_setter *s, const struct perfetto_field *f, const char *text,
		     size_t len)
{
	size_t at = s->record->len;

	if (f->kind == PERFETTO_COMM) {
		memcpy(at_field(s, f), text, len < 15 ? len : 15);
	} else if (f->kind == PERFETTO_TAIL) {
		s->record->len = f->offset;
		text_bytes(s->record, text, len);
		text_char(s->record, '\0');
	} else if (f->kind == PERFETTO_STRING) {
		text_bytes(s->record, text, len);
		text_char(s->record, '\0');
		locate(s, f, at, len + 1);
	} else if (f->kind == PERFETTO_BYTES) {
		text_bytes(s->record, text, len);
		locate(s, f, at, len);
	}
}

/* One more element, behind the others. */
static void add_element(struct field_setter *s, const struct perfetto_field *f, uint64_t value)
{
	uint32_t place = load_u32(at_field(s, f), false), at = place & 0xffff, len = place >> 16;
	uint8_t bytes[8];

	if (!len)
		at = (uint32_t)s->record->len;
	else if (at + len != s->record->len)
		return;			/* another field's data follows */
	store_u64(bytes, value, false);
	text_bytes(s->record, (const char *)bytes, sizeof(bytes));
	locate(s, f, at, len + sizeof(bytes));
}

static void set_number(struct field_setter *s, const struct perfetto_field *f, uint64_t value)
{
	const struct perfetto_name *name;

	switch (f->kind) {
	case PERFETTO_INT:
	case PERFETTO_U32:
		store_u32(at_field(s, f), (uint32_t)value, false);
		break;
	case PERFETTO_FUNCTION:
		name = s->symbols ? perfetto_names_find(s->symbols, value) : NULL;
		store_u64(at_field(s, f), name ? name->address : value, false);
		break;
	case PERFETTO_S64:
	case PERFETTO_U64:
		store_u64(at_field(s, f), value, false);
		break;
	case PERFETTO_ARRAY:
		add_element(s, f, value);
		break;
	case PERFETTO_ARGS:
		if (s->nr_args < NR_ARGS)
			store_u64(at_field(s, f) + 8 * s->nr_args++, value, false);
		break;
	case PERFETTO_COMM:
	case PERFETTO_STRING:
	case PERFETTO_BYTES:
	case PERFETTO_TAIL:
		break;
	}
}

static bool is_array(const struct perfetto_field *f)
{
	return f->kind == PERFETTO_ARRAY || f->kind == PERFETTO_ARGS;
}

/* A value; repeated numbers may be packed into bytes. */
static bool set_field(struct field_setter *s, const struct perfetto_field *f,
		      const struct proto_field *value)
{
	struct proto_reader r = proto_inside(value);
	uint64_t v;

	if (value->kind != PROTO_BYTES) {
		set_number(s, f, value->value);
	} else if (is_array(f)) {
		while (r.at < r.end) {
			if (!proto_take(&r, &v))
				return false;
			set_number(s, f, v);
		}
	} else {
		set_text(s, f, (const char *)value->bytes, value->value);
	}
	return true;
}

/* Fields mostly come in the order of their numbers.  NULL: there is none. */
static const struct perfetto_field *by_number(const struct perfetto_type *type, uint32_t number,
					      unsigned int *next)
{
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		if (*next >= type->nr_fields)
			*next = 0;
		if (type->fields[(*next)++].number == number)
			return &type->fields[*next - 1];
	}
	return NULL;
}

void perfetto_type_fill(const struct perfetto_type *type, struct proto_reader r,
			const struct perfetto_names *symbols, struct text *record)
{
	struct field_setter s = { .symbols = symbols, .record = record };
	struct proto_field f;
	bool good = true;

	while (good && proto_next(&r, &f)) {
		const struct perfetto_field *field = by_number(type, f.number, &s.next);

		if (field)
			good = set_field(&s, field, &f);
	}
}

void perfetto_type_fill_generic(const struct perfetto_type *type, struct proto_reader r,
				struct text *record)
{
	struct field_setter s = { .record = record };
	struct proto_field f, name, value;

	while (proto_next(&r, &f)) {
		const struct perfetto_field *field;
		char clean[NAME_BYTES + 1];

		if (f.number != GENERIC_FIELD || !read_generic(proto_inside(&f), &name, &value))
			continue;
		clean_name(&name, clean);
		field = perfetto_type_field(type, clean);
		if (field)
			set_field(&s, field, &value);
	}
}

void perfetto_type_set(const struct perfetto_type *type, uint32_t number, uint64_t value,
		       struct text *record)
{
	struct field_setter s = { .record = record, .next = number - 1 };

	set_number(&s, by_number(type, number, &s.next), value);
}

void perfetto_type_set_text(const struct perfetto_type *type, uint32_t number, const char *text,
			    size_t len, struct text *record)
{
	struct field_setter s = { .record = record, .next = number - 1 };

	set_text(&s, by_number(type, number, &s.next), text, len);
}

/* --- what events have ----------------------------------------------------------------------- */

/* As perfetto_type_fill(), field by field.  An array without elements is not seen. */
static bool see_fields(struct perfetto_type *type, struct proto_reader r)
{
	unsigned int next = 0;
	struct proto_field f;

	while (proto_next(&r, &f)) {
		const struct perfetto_field *field = by_number(type, f.number, &next);
		struct proto_reader elements = proto_inside(&f);
		bool is_packed = field && f.kind == PROTO_BYTES && is_array(field);
		uint64_t v;

		if (field && (!is_packed || elements.at < elements.end))
			type->seen |= 1ull << (field - type->fields);
		while (is_packed && elements.at < elements.end)
			if (!proto_take(&elements, &v))
				return false;
	}
	return !r.failed;
}

bool perfetto_type_see(struct perfetto_type *type, struct proto_reader r)
{
	const uint8_t *at = r.at, *next;
	uint32_t numbers = 0, kinds = 0;

	for (; at < r.end && (next = proto_skip(at, r.end)); at = next) {
		numbers |= 1u << (*at >> 3);
		kinds |= *at;
	}
	if (at < r.end || (type->has_arrays && kinds & PROTO_BYTES))
		return see_fields(type, r);
	if (!(numbers & ~type->numbers))
		return true;
	type->numbers |= numbers;
	return see_fields(type, r);
}

void perfetto_type_see_field(struct perfetto_type *type, uint32_t number)
{
	unsigned int next = number - 1;
	const struct perfetto_field *field = by_number(type, number, &next);

	type->seen |= 1ull << (field - type->fields);
}
