/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/event_types.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_format.h"
#include "src/base/memory.h"
#include "src/events/known_events.h"

#define IDS_PER_LEAF	256u
#define MAX_ID		65535		/* common_type has 16 bits */
#define BLK2_SINCE	(6u << 16 | 19)	/* the release with struct blk_io_trace2 */

/* Marks an id that was looked up and has no valid format. */
static const struct event_type no_type;

struct type_leaf {
	_Atomic(const struct event_type *) types[IDS_PER_LEAF];
};

struct event_types {
	const struct source	*file;		/* borrowed */
	int			long_size;	/* bytes of the kernel's long */
	struct common_layout	common;
	/*
	 * Reads take no lock: a leaf, or a type in a leaf, is published by one store when it is
	 * complete.
	 */
	_Atomic(struct type_leaf *)	leaves[(MAX_ID + 1) / IDS_PER_LEAF];
	pthread_mutex_t		lock;		/* held while parsing */
	struct arena		arena;
};

static void common_field(const struct event_type *type, const char *name, uint16_t *offset,
			 uint16_t *size)
{
	const struct event_field *f = event_type_field(type, name);

	if (f && f->is_common) {
		*offset = f->offset;
		*size = f->size;
	}
}

static void set_common(struct common_layout *common, const struct event_type *type)
{
	common_field(type, "common_type", &common->type_offset, &common->type_size);
	common_field(type, "common_flags", &common->flags_offset, &common->flags_size);
	common_field(type, "common_preempt_count", &common->preempt_offset, &common->preempt_size);
	common_field(type, "common_pid", &common->pid_offset, &common->pid_size);
	common_field(type, "common_migrate_disable", &common->migrate_offset,
		     &common->migrate_size);
	common_field(type, "common_lock_depth", &common->lock_offset, &common->lock_size);
}

/* As in every kernel known. */
static const struct common_layout usual = {
	.type_size = 2, .flags_offset = 2, .flags_size = 1, .preempt_offset = 3, .preempt_size = 1,
	.pid_offset = 4, .pid_size = 4,
};

/* The first format with the common fields defines them for all events. */
static void find_common(struct event_types *types)
{
	unsigned int nr = source_nr_formats(types->file);

	types->common = usual;
	for (unsigned int i = 0; i < nr && i < 16; i++) {
		struct arena arena = { 0 };
		const struct event_type *type;

		type = event_format_parse(&arena, source_format(types->file, i), types->long_size);
		if (type && event_type_field(type, "common_type")) {
			set_common(&types->common, type);
			arena_fini(&arena);
			return;
		}
		arena_fini(&arena);
	}
}

struct event_types *event_types_new(const struct source *file)
{
	struct event_types *types = mem_alloc(sizeof(*types));

	types->file = file;
	types->long_size = source_nr_buffers(file) ? source_buffer(file, 0)->layout.long_size : 0;
	if (types->long_size != 4 && types->long_size != 8)
		types->long_size = source_info(file)->user_long_size == 4 ? 4 : 8;
	pthread_mutex_init(&types->lock, NULL);
	find_common(types);
	return types;
}

void event_types_free(struct event_types *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < sizeof(types->leaves) / sizeof(types->leaves[0]); i++)
		free(types->leaves[i]);
	arena_fini(&types->arena);
	pthread_mutex_destroy(&types->lock);
	free(types);
}

/* Is this the name in the format's first line?  Nothing else is parsed. */
static bool format_has_name(const struct source_format *format, const char *name, size_t len)
{
	return format->size > 6 + len && !memcmp(format->text, "name: ", 6) &&
	       !memcmp(format->text + 6, name, len) && format->text[6 + len] == '\n';
}

/*
 * The first format text with this name, and this system if it is not NULL, unparsed; NULL if there
 * is none.
 */
static const struct source_format *format_by_name(const struct source *file, const char *system,
						  const char *name)
{
	unsigned int nr = source_nr_formats(file);
	size_t len = strlen(name);

	for (unsigned int i = 0; i < nr; i++) {
		const struct source_format *format = source_format(file, i);

		if (format_has_name(format, name, len) &&
		    (!system || !strcmp(format->system, system)))
			return format;
	}
	return NULL;
}

/* The id of the blk tracer's records: that after the last of the kernel's own events; -1: none. */
static int blk_id(const struct event_types *types)
{
	static const char *const before[] = { "power", "kmem_free", "user_stack" };
	const struct source_format *known = NULL;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]) && !known; i++)
		known = format_by_name(types->file, "ftrace", before[i]);
	return known ? known->id + 1 : -1;
}

/*
 * The blk tracer's records have no format in tracefs.  Like trace-cmd, use a format made for them:
 * struct blk_io_trace, or the struct blk_io_trace2 of later kernels.
 */
static const struct event_type *blk_type(struct event_types *types, int id)
{
	static const char text[] =
		"name: blktrace\nID: %d\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\n%s\n"
		"\tfield:u64 sector;\toffset:16;\tsize:8;\n"
		"\tfield:int bytes;\toffset:24;\tsize:4;\n%s\n";
	static const char fields[] = "\tfield:int action;\toffset:28;\tsize:4;\n"
				     "\tfield:int pid;\toffset:32;\tsize:4;\n"
				     "\tfield:int device;\toffset:36;\tsize:4;\n"
				     "\tfield:int cpu;\toffset:40;\tsize:4;\n"
				     "\tfield:short error;\toffset:44;\tsize:2;\n"
				     "\tfield:short pdu_len;\toffset:46;\tsize:2;\n"
				     "\tfield:void data;\toffset:48;\tsize:0;\n\n"
				     "print fmt: \"%d\", REC->pid";
	static const char fields2[] = "\tfield:int pid;\toffset:28;\tsize:4;\n"
				      "\tfield:u64 action;\toffset:32;\tsize:8;\n"
				      "\tfield:int device;\toffset:40;\tsize:4;\n"
				      "\tfield:int cpu;\toffset:44;\tsize:4;\n"
				      "\tfield:short error;\toffset:48;\tsize:2;\n"
				      "\tfield:short pdu_len;\toffset:50;\tsize:2;\n"
				      "\tfield:void data;\toffset:64;\tsize:0;\n\n"
				      /* what lies where trace-cmd looks for the pid */
				      "print fmt: \"%d\", (int)REC->action";
	static const char lock[] = "\tfield:int common_lock_depth;\toffset:8;\tsize:4;\n";
	struct source_format *format;
	size_t room = sizeof(text) + sizeof(fields) + sizeof(fields2) + sizeof(lock) + 16;
	char *buf;

	if (blk_id(types) != id)
		return NULL;
	buf = arena_alloc(&types->arena, room);
	format = arena_alloc(&types->arena, sizeof(*format));
	format->system = "ftrace";
	format->text = buf;
	format->id = id;
	format->size = (uint32_t)snprintf(buf, room, text, id, types->common.lock_size ? lock : "",
					  source_release(types->file) >= BLK2_SINCE ? fields2 :
										      fields);
	return event_format_parse(&types->arena, format, types->long_size);
}

static const struct event_type *parse_type(struct event_types *types, int id)
{
	const struct source_format *format = source_format_by_id(types->file, id);
	const struct event_type *type;

	type = format ? event_format_parse(&types->arena, format, types->long_size) :
			blk_type(types, id);
	return type && type->id == id ? type : &no_type;
}

static const struct event_type *find_locked(struct event_types *types, int id)
{
	_Atomic(struct type_leaf *) *slot = &types->leaves[(unsigned int)id / IDS_PER_LEAF];
	struct type_leaf *leaf = atomic_load(slot);
	const struct event_type *type;

	if (!leaf) {
		leaf = mem_alloc(sizeof(*leaf));
		atomic_store(slot, leaf);
	}
	type = atomic_load(&leaf->types[(unsigned int)id % IDS_PER_LEAF]);
	if (!type) {
		type = parse_type(types, id);
		atomic_store_explicit(&leaf->types[(unsigned int)id % IDS_PER_LEAF], type,
				      memory_order_release);
	}
	return type;
}

const struct event_type *event_types_find(struct event_types *types, int id)
{
	const struct event_type *type = NULL;
	struct type_leaf *leaf;

	if (id < 0 || id > MAX_ID)
		return NULL;
	leaf = atomic_load_explicit(&types->leaves[(unsigned int)id / IDS_PER_LEAF],
				    memory_order_acquire);
	if (leaf)
		type = atomic_load_explicit(&leaf->types[(unsigned int)id % IDS_PER_LEAF],
					    memory_order_acquire);
	if (!type) {
		pthread_mutex_lock(&types->lock);
		type = find_locked(types, id);
		pthread_mutex_unlock(&types->lock);
	}
	return type == &no_type ? NULL : type;
}

/* Most patterns are plain names, and fnmatch() takes its time. */
static bool is_like(const char *name, const char *pattern)
{
	return strpbrk(pattern, "*?[\\") ? !fnmatch(pattern, name, 0) : !strcmp(pattern, name);
}

bool event_type_is(const struct event_type *type, const char *name)
{
	size_t system = strlen(type->system);
	char kernels[KNOWN_NAME_BYTES];

	if (!strncmp(type->system, name, system) && name[system] && strchr(":/", name[system]))
		name += system + 1;
	else if (strchr(name, ':'))
		return false;
	return is_like(type->name, name) ||
	       (known_events_kernels(type->system, type->name, kernels) && is_like(kernels, name));
}

bool event_type_tells_switch(const struct event_type *type)
{
	return event_type_field(type, "prev_pid") && event_type_field(type, "next_pid");
}

const struct event_type *event_types_by_name(struct event_types *types, const char *system,
					     const char *name)
{
	const struct source_format *format = format_by_name(types->file, system, name);
	char theirs[KNOWN_NAME_BYTES];
	const struct event_type *type;

	if (!format && system && known_events_theirs(system, name, theirs))
		format = format_by_name(types->file, system, theirs);
	type = format ? event_types_find(types, format->id) : NULL;
	/* If an earlier format has the same id, the records are of that type. */
	return type && type->format == format ? type : NULL;
}

const struct event_type *event_types_blk(struct event_types *types)
{
	int id = types->file ? blk_id(types) : -1;
	const struct event_type *type = id >= 0 ? event_types_find(types, id) : NULL;

	return type && !strcmp(type->name, "blktrace") ? type : NULL;
}

const struct common_layout *event_types_common(const struct event_types *types)
{
	return types ? &types->common : &usual;
}
