/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "parsers/perf/perf_target.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"

#define PIPE_HEADER	16u
#define FILE_HEADER	104u
#define FLAGS_AT	72u		/* in the header: a bit for each feature */
#define NR_FEATURES	256u
#define SECTION_BYTES	16u		/* offset, size */
#define MAX_SECTION	TRACE_MAX_BLOB

enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_RELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_SIMPLEPERF = 129,
};

#define EVENT_UPDATE_NAME	2u
#define MISC_ID_BYTES		(1u << 15)	/* of a build id: its length is told */

struct perf_section {
	uint64_t offset, size;
};

bool perf_file_is_it(const uint8_t *head, size_t len)
{
	return len >= PERF_MAGIC_LEN && (!memcmp(head, PERF_MAGIC, PERF_MAGIC_LEN) ||
					 !memcmp(head, PERF_MAGIC_OLD, PERF_MAGIC_LEN) ||
					 !memcmp(head, PERF_MAGIC_SWAPPED, PERF_MAGIC_LEN));
}

void perf_file_fini(struct perf_file *file)
{
	for (unsigned int i = 0; i < file->nr_attrs; i++)
		free(file->attrs[i].name);
	free(file->attrs);
	number_set_fini(&file->ids);
	number_set_fini(&file->cpus);
	free(file->of_ids);
	free(file->tracing);
	free(file->hostname);
	free(file->release);
	free(file->version);
	free(file->arch);
	free(file->cmdline);
	for (uint32_t i = 0; i < file->by_path.nr; i++)
		free(file->build_ids[i].path);
	free(file->build_ids);
	index_map_fini(&file->by_path);
}

/* Bytes of the file, owned by the caller, with a NUL behind; NULL: there is a warning. */
static uint8_t *load(const struct perf_file *file, const char *what, struct perf_section s)
{
	uint8_t *bytes;
	int64_t got;

	if (s.size > MAX_SECTION) {
		source_add_warning(file->source, (int64_t)s.offset,
				   "%s: %" PRIu64 " bytes are more than %u", what, s.size,
				   MAX_SECTION);
		return NULL;
	}
	bytes = mem_array(1, s.size + 1);
	got = read_at(file->fd, bytes, s.size, s.offset);
	if (got >= 0 && (uint64_t)got == s.size)
		return bytes;
	source_add_warning(file->source, (int64_t)s.offset,
			   "%s: the file ends within its %" PRIu64 " bytes", what, s.size);
	free(bytes);
	return NULL;
}

/* --- events --------------------------------------------------------------------------------- */

static void add_ids(struct perf_file *file, unsigned int attr, const uint8_t *ids, uint64_t nr)
{
	bool is_new;

	for (uint64_t i = 0; i < nr && file->ids.nr < PERF_MAX_IDS; i++) {
		uint64_t id = load_u64(ids + 8 * i, file->swap);
		uint32_t at = number_set_add(&file->ids, id, &is_new);

		if (!is_new)
			continue;
		mem_grow(&file->of_ids, at, &file->cap_ids);
		file->of_ids[at] = attr;
		file->near[id % PERF_NEAR_IDS].id = id;
		file->near[id % PERF_NEAR_IDS].attr = attr + 1;
	}
}

/* Where records have the id of their event: all events have it at the same place. */
static void find_id_place(struct perf_file *file, uint64_t type)
{
	uint64_t before = type &
			  (1u << PERF_IP | 1u << PERF_TID | 1u << PERF_TIME | 1u << PERF_ADDR),
		 behind = type & (1u << PERF_CPU | 1u << PERF_STREAM_ID);

	if (type >> PERF_IDENTIFIER & 1) {
		file->id_place = PERF_HEADER_BYTES;
		file->id_back = 8;
	} else if (type >> PERF_ID & 1) {
		file->id_place = (uint16_t)(PERF_HEADER_BYTES + 8 * __builtin_popcountll(before));
		file->id_back = (uint16_t)(8 + 8 * __builtin_popcountll(behind));
	}
}

/* Return: the attribute's index; PERF_MAX_ATTRS: it cannot be read. */
static unsigned int add_attr(struct perf_file *file, const uint8_t *bytes, uint32_t len)
{
	struct perf_attr attr = { 0 };

	if (file->nr_attrs == PERF_MAX_ATTRS ||
	    !perf_attr_read(&attr, bytes, len, file->big_endian))
		return PERF_MAX_ATTRS;
	if (!file->nr_attrs)
		find_id_place(file, attr.sample_type);
	file->is_untimed |= !attr.in_sample.time;
	mem_grow(&file->attrs, file->nr_attrs, &file->cap_attrs);
	file->attrs[file->nr_attrs] = attr;
	return file->nr_attrs++;
}

static void read_attrs(struct perf_file *file, struct perf_section attrs, uint64_t attr_size)
{
	uint8_t *bytes = load(file, "attributes of events", attrs), *ids;

	for (uint64_t at = 0; bytes && attrs.size - at >= attr_size; at += attr_size) {
		const uint8_t *of_ids = bytes + at + attr_size - SECTION_BYTES;
		struct perf_section s = { load_u64(of_ids, file->swap),
				     load_u64(of_ids + 8, file->swap) };
		unsigned int attr = add_attr(file, bytes + at,
					     (uint32_t)(attr_size - SECTION_BYTES));

		if (attr == PERF_MAX_ATTRS)
			break;
		ids = s.size ? load(file, "ids of an event", s) : NULL;
		if (ids)
			add_ids(file, attr, ids, s.size / 8);
		free(ids);
	}
	free(bytes);
}

const struct perf_attr *perf_file_attr_of_id(const struct perf_file *file, uint64_t id)
{
	index_map_each (&file->ids.map, index_map_hash(id), i)
		if (file->ids.numbers[i] == id)
			return &file->attrs[file->of_ids[i]];
	return NULL;
}

/* --- features ------------------------------------------------------------------------------- */

/* u32 bytes, then the string with NULs behind it. */
static void take_string(struct byte_reader *r, char **to)
{
	uint32_t len = byte_reader_u32(r);
	const uint8_t *s = byte_reader_bytes(r, len);

	if (!s)
		return;
	free(*to);
	*to = mem_strndup((const char *)s, strnlen((const char *)s, len));
}

static void take_cmdline(struct perf_file *file, struct byte_reader *r)
{
	uint32_t nr = byte_reader_u32(r);
	struct text t = { 0 };
	char *word = NULL;

	for (uint32_t i = 0; i < nr && !r->failed; i++) {
		take_string(r, &word);
		if (!r->failed)
			text_printf(&t, "%s%s", i ? " " : "", word);
	}
	free(word);
	free(file->cmdline);
	file->cmdline = t.data;
}

static void name_attr(struct perf_file *file, unsigned int attr, char *name)
{
	if (attr >= file->nr_attrs || !name || !*name) {
		free(name);
		return;
	}
	free(file->attrs[attr].name);
	file->attrs[attr].name = name;
}

/* The attributes again, in their order, with names. */
static void take_names(struct perf_file *file, struct byte_reader *r)
{
	uint32_t nr = byte_reader_u32(r), bytes = byte_reader_u32(r);

	for (uint32_t i = 0; i < nr && !r->failed; i++) {
		char *name = NULL;
		uint32_t ids;

		byte_reader_bytes(r, bytes);
		ids = byte_reader_u32(r);
		take_string(r, &name);
		byte_reader_bytes(r, 8ull * ids);
		name_attr(file, i, name);
	}
}

static void take_clocks(struct perf_file *file, struct byte_reader *r)
{
	byte_reader_u32(r);		/* version */
	byte_reader_u32(r);		/* clockid: that of the attributes */
	file->wall_ns = byte_reader_u64(r);
	file->clock_ns = byte_reader_u64(r);
	file->has_wall = !r->failed;
}

const struct perf_build_id *perf_file_build_id(const struct perf_file *file, const char *path)
{
	index_map_each (&file->by_path, index_map_hash_bytes(path, strlen(path)), i)
		if (!strcmp(file->build_ids[i].path, path))
			return &file->build_ids[i];
	return NULL;
}

/*
 * u8 id[20], which an older perf fills up with zeros; u8 length; 3 unused bytes; the path.
 * @len: bytes of the path
 */
static void add_build_id(struct perf_file *file, const uint8_t *id, bool has_length, size_t len)
{
	struct perf_build_id to = { .nr = PERF_BUILD_ID_BYTES };
	const char *path = (const char *)id + 24;

	if (file->by_path.nr == PERF_MAX_BUILD_IDS)
		return;
	if (has_length && id[PERF_BUILD_ID_BYTES] < PERF_BUILD_ID_BYTES)
		to.nr = id[PERF_BUILD_ID_BYTES];
	while (!has_length && to.nr > 3 && !memcmp(id + to.nr - 4, "\0\0\0", 4))
		to.nr -= 4;
	memcpy(to.bytes, id, to.nr);
	to.path = mem_strndup(path, strnlen(path, len));
	mem_grow(&file->build_ids, file->by_path.nr, &file->cap_build_ids);
	file->build_ids[file->by_path.nr] = to;
	index_map_add(&file->by_path, index_map_hash_bytes(to.path, strlen(to.path)),
		      file->by_path.nr);
}

/* Records: s32 pid; the id in 24 bytes; the path. */
static void take_build_ids(struct perf_file *file, struct byte_reader *r)
{
	static const char kernel[] = "[kernel.kallsyms]";

	while (byte_reader_left(r) >= PERF_HEADER_BYTES && !r->failed) {
		const uint8_t *header = byte_reader_bytes(r, PERF_HEADER_BYTES);
		uint32_t size = load_u16(header + 6, file->swap);
		const uint8_t *record = size < 36 ? NULL :
						    byte_reader_bytes(r, size - PERF_HEADER_BYTES);

		if (!record) {
			r->failed = true;
			return;
		}
		size -= 36;
		add_build_id(file, record + 4, load_u16(header + 4, file->swap) & MISC_ID_BYTES,
			     size);
		if (size < sizeof(kernel) - 1 || memcmp(record + 28, kernel, sizeof(kernel) - 1))
			continue;
		memcpy(file->kernel_id, record + 4, sizeof(file->kernel_id));
		file->has_kernel_id = true;
	}
}

/* Lines "sched:sched_switch,2,47": name, type, config. */
static void name_by_lines(struct perf_file *file, const char *lines)
{
	for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
		size_t len = strcspn(lines, ",\n");
		char *end;
		uint64_t type, config;

		if (lines[len] != ',')
			continue;
		type = strtoull(lines + len + 1, &end, 10);
		config = *end == ',' ? strtoull(end + 1, NULL, 10) : 0;
		for (unsigned int i = 0; i < file->nr_attrs; i++)
			if (!file->attrs[i].name && file->attrs[i].type == type &&
			    file->attrs[i].config == config)
				name_attr(file, i, mem_strndup(lines, len));
	}
}

/* What simpleperf tells of a recording: a key, its value, and so on, each with a NUL behind it. */
static void take_simpleperf(struct perf_file *file, struct byte_reader *r)
{
	while (byte_reader_left(r) && !r->failed) {
		const char *key = byte_reader_string(r), *value = byte_reader_string(r);

		if (!value)
			return;
		if (!strcmp(key, "event_type_info"))
			name_by_lines(file, value);
		else if (!strcmp(key, "system_wide_collection"))
			file->target = strcmp(value, "true") ? PERF_OF_TASKS : PERF_OF_ALL;
	}
}

static void take_feature(struct perf_file *file, unsigned int feature, struct byte_reader *r)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		take_build_ids(file, r);
		break;
	case FEATURE_HOSTNAME:
		take_string(r, &file->hostname);
		break;
	case FEATURE_RELEASE:
		take_string(r, &file->release);
		break;
	case FEATURE_VERSION:
		take_string(r, &file->version);
		break;
	case FEATURE_ARCH:
		take_string(r, &file->arch);
		break;
	case FEATURE_NRCPUS:
		file->nr_cpus = byte_reader_u32(r);
		file->nr_online = byte_reader_u32(r);
		break;
	case FEATURE_CMDLINE:
		take_cmdline(file, r);
		break;
	case FEATURE_EVENT_DESC:
		take_names(file, r);
		break;
	case FEATURE_SIMPLEPERF:
		take_simpleperf(file, r);
		break;
	case FEATURE_CLOCK_DATA:
		take_clocks(file, r);
		break;
	default:
		return;
	}
	if (r->failed)
		source_add_warning(file->source, (int64_t)r->base, "feature %u ends early",
				   feature);
}

static void read_feature(struct perf_file *file, unsigned int feature, struct perf_section s)
{
	struct byte_reader r;
	uint8_t *bytes;

	if (feature == FEATURE_TRACING_DATA) {
		perf_file_take_tracing(file, s.offset, s.size);
		return;
	}
	bytes = load(file, "a feature", s);
	if (!bytes)
		return;
	byte_reader_init(&r, bytes, s.size, s.offset, file->swap);
	take_feature(file, feature, &r);
	free(bytes);
}

/* The features that the flags have; their sections are listed behind the records. */
static void read_features(struct perf_file *file, const uint8_t *flags)
{
	uint64_t at = file->to;
	uint8_t bytes[SECTION_BYTES];

	for (unsigned int i = 0; i < NR_FEATURES; i++) {
		unsigned int word = i / 64;

		if (!(load_u64(flags + 8 * word, file->swap) >> i % 64 & 1))
			continue;
		if (read_at(file->fd, bytes, SECTION_BYTES, at) != SECTION_BYTES) {
			source_add_warning(file->source, (int64_t)at,
					   "the file ends within the list of features");
			return;
		}
		read_feature(file, i, (struct perf_section){ load_u64(bytes, file->swap),
							load_u64(bytes + 8, file->swap) });
		at += SECTION_BYTES;
	}
}

void perf_file_take_tracing(struct perf_file *file, uint64_t at, uint64_t bytes)
{
	free(file->tracing);
	file->tracing = load(file, "formats of events", (struct perf_section){ at, bytes });
	file->nr_tracing = file->tracing ? bytes : 0;
	file->tracing_at = at;
}

/* --- records that are parts of the header --------------------------------------------------- */

static void take_attr(struct perf_file *file, const struct perf_record *record)
{
	uint32_t left = record->size - PERF_HEADER_BYTES, bytes;
	const uint8_t *data = record->data + PERF_HEADER_BYTES;
	unsigned int attr;

	if (left < 8)
		return;
	bytes = load_u32(data + 4, file->swap);
	bytes = bytes < left ? bytes : left;
	attr = add_attr(file, data, bytes);
	if (attr != PERF_MAX_ATTRS)
		add_ids(file, attr, data + bytes, (left - bytes) / 8);
}

/* u64 type, u64 id, name */
static void take_update(struct perf_file *file, const struct perf_record *record)
{
	struct byte_reader r;
	uint64_t type, id;
	size_t left;

	byte_reader_init(&r, record->data + PERF_HEADER_BYTES, record->size - PERF_HEADER_BYTES,
			 record->offset + PERF_HEADER_BYTES, file->swap);
	type = byte_reader_u64(&r);
	id = byte_reader_u64(&r);
	left = byte_reader_left(&r);
	if (r.failed || type != EVENT_UPDATE_NAME)
		return;
	index_map_each (&file->ids.map, index_map_hash(id), i)
		if (file->ids.numbers[i] == id) {
			const char *name = (const char *)r.data + r.pos;

			name_attr(file, file->of_ids[i], mem_strndup(name, strnlen(name, left)));
			return;
		}
}

void perf_file_take(struct perf_file *file, const struct perf_record *record)
{
	struct byte_reader r;
	uint64_t feature;

	if (record->type == PERF_RECORD_HEADER_ATTR && file->is_pipe)
		take_attr(file, record);
	else if (record->type == PERF_RECORD_EVENT_UPDATE)
		take_update(file, record);
	else if (record->type == PERF_RECORD_ID_INDEX || record->type == PERF_RECORD_THREAD_MAP)
		perf_target_take(file, record);
	if (record->type != PERF_RECORD_HEADER_FEATURE)
		return;
	byte_reader_init(&r, record->data + PERF_HEADER_BYTES, record->size - PERF_HEADER_BYTES,
			 record->offset + PERF_HEADER_BYTES, file->swap);
	feature = byte_reader_u64(&r);
	if (!r.failed && feature < NR_FEATURES)
		take_feature(file, (unsigned int)feature, &r);
}

/* --- the header ----------------------------------------------------------------------------- */

/* A file of a perf that was killed has no size of its records, and no features. */
static void find_records(struct perf_file *file, struct perf_section data, uint64_t size)
{
	file->from = data.offset;
	file->to = size;
	if (data.offset <= size && data.size && data.size <= size - data.offset) {
		file->to = data.offset + data.size;
		return;
	}
	if (!data.size)
		source_add_warning(file->source, -1,
				   "perf did not finish the file: names of events and of the "
				   "kernel are missing");
	else
		source_add_warning(file->source, (int64_t)size,
				   "the file ends here, within its %" PRIu64 " bytes of records",
				   data.size);
}

int perf_file_init(struct perf_file *file, const struct source *source, int fd, uint64_t size,
		   const uint8_t *head, size_t nr_head, struct ft_error *err)
{
	struct perf_section attrs, data;
	uint64_t header, attr_size;

	*file = (struct perf_file){ .source = source, .fd = fd };
	if (nr_head < PIPE_HEADER)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)nr_head,
				    "the file ends within the header of perf.data");
	file->big_endian = head[0] == '2';	/* the magic is a number */
	file->swap = file->big_endian != HOST_BIG_ENDIAN;
	header = load_u64(head + 8, file->swap);
	file->is_pipe = header == PIPE_HEADER;
	file->from = PIPE_HEADER;
	file->to = size;
	if (file->is_pipe)
		return 0;
	if (header < FILE_HEADER || nr_head < FILE_HEADER)
		return ft_error_set(err, FT_E_FORMAT, 8,
				    "a header of %" PRIu64 " bytes; perf.data has at least %u",
				    header, FILE_HEADER);
	attr_size = load_u64(head + 16, file->swap);
	attrs = (struct perf_section){ load_u64(head + 24, file->swap),
				  load_u64(head + 32, file->swap) };
	data = (struct perf_section){ load_u64(head + 40, file->swap),
				      load_u64(head + 48, file->swap) };
	if (attr_size < SECTION_BYTES || attr_size > UINT16_MAX)
		return ft_error_set(err, FT_E_LIMIT, 16,
				    "attributes of %" PRIu64 " bytes; they have %u to %u",
				    attr_size, SECTION_BYTES, UINT16_MAX);
	if (data.offset < FILE_HEADER || data.offset > size)
		return ft_error_set(err, FT_E_LIMIT, 40,
				    "records from byte %" PRIu64 " on; the file has %" PRIu64
				    " bytes",
				    data.offset, size);
	find_records(file, data, size);
	read_attrs(file, attrs, attr_size);
	if (data.size && file->to == data.offset + data.size)
		read_features(file, head + FLAGS_AT);
	return 0;
}
