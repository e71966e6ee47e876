/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/btf.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

#define BTF_MAGIC	0xeb9f
#define MAX_MODIFIERS	64u		/* const volatile typedef … of one type */
#define MAX_NESTED	8u		/* nameless structs in a struct */
#define MEMBER_BYTES	12u
#define HAS_BIT_FIELDS	(1u << 31)	/* btf_type.info: the low 24 bits of an offset are it */

enum {
	KIND_INT = 1, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FWD,
	KIND_TYPEDEF, KIND_VOLATILE,
	KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO, KIND_VAR, KIND_DATASEC, KIND_FLOAT,
	KIND_DECL_TAG,
	KIND_TYPE_TAG, KIND_ENUM64,
};

struct btf_type {			/* the layout in the data */
	uint32_t	name, info, size;	/* size: or the id of the type it refers to */
};

struct btf_named {			/* a function */
	const char	*name;
	uint32_t	 prototype;
	unsigned int	 id;
};

struct btf {
	const uint8_t	*types;		/* borrowed */
	uint32_t	 types_size;
	const char	*strings;	/* borrowed, NUL-ended */
	uint32_t	 strings_size;
	bool		 swap;
	unsigned int	 nr;		/* types; number 0 is void */
	uint32_t	*offsets;	/* owned, [nr] */
	unsigned int	 nr_functions;
	struct btf_named *functions;	/* owned, by name */
};

static struct btf_type type_at(const struct btf *btf, uint32_t offset)
{
	const uint8_t *p = btf->types + offset;

	return (struct btf_type){ load_u32(p, btf->swap), load_u32(p + 4, btf->swap),
				  load_u32(p + 8, btf->swap) };
}

static unsigned int kind_of(const struct btf_type *type)
{
	return type->info >> 24 & 0x1f;
}

/* Bytes after a type's header; UINT32_MAX for an unknown kind. */
static uint32_t extra_of(const struct btf_type *type)
{
	uint32_t nr = type->info & 0xffff;

	switch (kind_of(type)) {
	case KIND_INT:
	case KIND_VAR:
	case KIND_DECL_TAG:
		return 4;
	case KIND_ARRAY:
		return 12;
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_DATASEC:
	case KIND_ENUM64:
		return nr * 12;
	case KIND_ENUM:
	case KIND_FUNC_PROTO:
		return nr * 8;
	case KIND_PTR:
	case KIND_FWD:
	case KIND_TYPEDEF:
	case KIND_VOLATILE:
	case KIND_CONST:
	case KIND_RESTRICT:
	case KIND_FUNC:
	case KIND_FLOAT:
	case KIND_TYPE_TAG:
		return 0;
	}
	return UINT32_MAX;
}

static const char *string_at(const struct btf *btf, uint32_t offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

static int compare(const void *a, const void *b)
{
	const struct btf_named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Find where each type lies, and the functions. */
static bool read_types(struct btf *btf)
{
	unsigned int cap = 0, cap_functions = 0;
	uint32_t offset = 0;

	mem_grow(&btf->offsets, btf->nr, &cap);
	btf->offsets[btf->nr++] = UINT32_MAX;
	while (btf->types_size - offset >= sizeof(struct btf_type)) {
		struct btf_type type = type_at(btf, offset);
		uint32_t extra = extra_of(&type);

		if (extra > btf->types_size - offset - sizeof(type))
			return false;
		mem_grow(&btf->offsets, btf->nr, &cap);
		btf->offsets[btf->nr++] = offset;
		if (kind_of(&type) == KIND_FUNC) {
			mem_grow(&btf->functions, btf->nr_functions, &cap_functions);
			btf->functions[btf->nr_functions++] = (struct btf_named){
				string_at(btf, type.name), type.size, btf->nr - 1
			};
		}
		offset += (uint32_t)sizeof(type) + extra;
	}
	if (btf->nr_functions)
		qsort(btf->functions, btf->nr_functions, sizeof(*btf->functions), compare);
	return true;
}

struct btf *btf_new(const void *data, uint64_t size)
{
	const uint8_t *p = data;
	struct btf *btf;
	uint32_t head, type_off, type_len, string_off, string_len;
	bool swap;

	if (size < 24)
		return NULL;
	swap = load_u16(p, false) != BTF_MAGIC;
	if (load_u16(p, swap) != BTF_MAGIC)
		return NULL;
	head = load_u32(p + 4, swap);
	type_off = load_u32(p + 8, swap);
	type_len = load_u32(p + 12, swap);
	string_off = load_u32(p + 16, swap);
	string_len = load_u32(p + 20, swap);
	if (head > size || (uint64_t)head + type_off + type_len > size ||
	    (uint64_t)head + string_off + string_len > size || !string_len ||
	    p[head + string_off + string_len - 1])
		return NULL;
	btf = mem_alloc(sizeof(*btf));
	btf->types = p + head + type_off;
	btf->types_size = type_len;
	btf->strings = (const char *)p + head + string_off;
	btf->strings_size = string_len;
	btf->swap = swap;
	if (!read_types(btf)) {
		btf_free(btf);
		return NULL;
	}
	return btf;
}

void btf_free(struct btf *btf)
{
	if (!btf)
		return;
	free(btf->offsets);
	free(btf->functions);
	free(btf);
}

/* Strip a type's modifiers; false if it is void or damaged. */
static bool strip_modifiers(const struct btf *btf, uint32_t id, struct btf_type *type,
			    uint32_t *offset)
{
	for (unsigned int i = 0; i < MAX_MODIFIERS && id && id < btf->nr; i++) {
		*offset = btf->offsets[id];
		*type = type_at(btf, *offset);
		switch (kind_of(type)) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = type->size;
			continue;
		}
		return true;
	}
	return false;
}

static void set_kind(const struct btf *btf, uint32_t id, struct btf_argument *arg)
{
	static const char *const names[] = {
		"UNKNOWN", "INT", "PTR", "ARRAY", "STRUCT", "UNION", "ENUM", "FWD", "TYPEDEF",
		"VOLATILE", "CONST",
		"RESTRICT", "FUNC", "FUNC_PROTO", "VAR", "DATASEC", "FLOAT", "DECL_TAG", "TYPE_TAG",
		"ENUM64",
	};
	struct btf_type type;
	uint32_t offset, encoding;

	arg->kind = BTF_UNKNOWN;
	arg->is_void = !id;
	if (!strip_modifiers(btf, id, &type, &offset))
		return;
	switch (kind_of(&type)) {
	case KIND_PTR:
		arg->kind = BTF_POINTER;
		break;
	case KIND_INT:
		/* The encoding is in the highest byte: 1 is signed. */
		encoding = load_u32(btf->types + offset + sizeof(type), btf->swap);
		arg->kind = encoding >> 24 & 1 ? BTF_SIGNED : BTF_UNSIGNED;
		arg->bit_offset = encoding >> 16 & 0x3f;
		arg->bits = encoding & 0xff;
		break;
	case KIND_ENUM:
		arg->kind = BTF_ENUM;
		arg->type = offset;
		break;
	default:
		arg->kind = BTF_COMPOUND;
		arg->what =
			names[kind_of(&type) < sizeof(names) / sizeof(names[0]) ? kind_of(&type) :
										  0];
		arg->size = type.size;
		break;
	}
}

/* The first function of this name: several static functions may share a name. */
static const struct btf_named *find_function(const struct btf *btf, const char *name)
{
	unsigned int first = bisect(btf->nr_functions, i, strcmp(btf->functions[i].name, name) < 0);

	return first < btf->nr_functions && !strcmp(btf->functions[first].name, name) ?
		       &btf->functions[first] :
		       NULL;
}

/* The function of this name that bsearch() of libtraceevent's C library finds. */
static const struct btf_named *find_function_as_tep(const struct btf *btf, const char *name)
{
	unsigned int low = 0, high = btf->nr_functions;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;
		int order = strcmp(name, btf->functions[mid].name);

		if (!order)
			return &btf->functions[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

int btf_arguments(const struct btf *btf, const char *function, enum btf_choice choice,
		  struct btf_argument *args, unsigned int max)
{
	const struct btf_named *found;
	struct btf_type type;
	uint32_t offset;
	unsigned int nr;

	if (!btf || !btf->nr_functions)
		return -1;
	found = choice == BTF_FIRST ? find_function(btf, function) :
				      find_function_as_tep(btf, function);
	if (!found || !found->prototype || found->prototype >= btf->nr)
		return -1;
	offset = btf->offsets[found->prototype];
	type = type_at(btf, offset);
	if (kind_of(&type) != KIND_FUNC_PROTO)
		return -1;
	nr = type.info & 0xffff;
	for (unsigned int i = 0; i < nr && i < max; i++) {
		const uint8_t *p = btf->types + offset + sizeof(type) + (size_t)i * 8;

		args[i] = (struct btf_argument){ .name = string_at(btf, load_u32(p, btf->swap)) };
		set_kind(btf, load_u32(p + 4, btf->swap), &args[i]);
	}
	return (int)nr;
}

static bool is_struct(const struct btf_type *type)
{
	return kind_of(type) == KIND_STRUCT || kind_of(type) == KIND_UNION;
}

/* @offset: of the struct. */
static int find_member(const struct btf *btf, uint32_t offset, const char *member,
		       unsigned int depth)
{
	struct btf_type type = type_at(btf, offset), inner;

	for (uint32_t i = 0; i < (type.info & 0xffff); i++) {
		const uint8_t *p = btf->types + offset + sizeof(type) + i * MEMBER_BYTES;
		const char *name = string_at(btf, load_u32(p, btf->swap));
		uint32_t bits = load_u32(p + 8, btf->swap), at;
		int inside;

		if (type.info & HAS_BIT_FIELDS)
			bits &= 0xffffff;
		if (!strcmp(name, member))
			return (int)(bits / 8);
		if (*name || depth == MAX_NESTED ||
		    !strip_modifiers(btf, load_u32(p + 4, btf->swap), &inner, &at) ||
		    !is_struct(&inner))
			continue;
		inside = find_member(btf, at, member, depth + 1);
		if (inside >= 0)
			return (int)(bits / 8) + inside;
	}
	return -1;
}

int btf_member_offset(const struct btf *btf, const char *name, const char *member)
{
	for (unsigned int i = 1; i < btf->nr; i++) {
		struct btf_type type = type_at(btf, btf->offsets[i]);

		if (is_struct(&type) && !strcmp(string_at(btf, type.name), name))
			return find_member(btf, btf->offsets[i], member, 0);
	}
	return -1;
}

const char *btf_enum_name(const struct btf *btf, const struct btf_argument *arg, int64_t value)
{
	struct btf_type type;

	if (arg->kind != BTF_ENUM)
		return NULL;
	type = type_at(btf, arg->type);
	for (uint32_t i = 0; i < (type.info & 0xffff); i++) {
		const uint8_t *p = btf->types + arg->type + sizeof(type) + (size_t)i * 8;

		if ((int32_t)load_u32(p + 4, btf->swap) == (int32_t)value)
			return string_at(btf, load_u32(p, btf->swap));
	}
	return NULL;
}
