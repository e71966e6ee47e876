/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_FILE_H
#define FTOP_PARSERS_PERF_PERF_FILE_H
/*
 * perf_file - what a perf.data says of itself: where its records are, the attributes of its events,
 * and its features.  A file has them in sections; what `perf record -o -` writes to a pipe has them
 * in records, which are taken while they are passed.
 *
 * Format: linux tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c.
 */
#include "parsers/io/byte_reader.h"
#include "parsers/perf/perf_sample.h"
#include "src/base/error.h"
#include "src/base/number_set.h"
#include "src/base/text.h"

struct source;

#define PERF_MAX_ATTRS		65536u
#define PERF_MAX_IDS		(1u << 22)
#define PERF_NEAR_IDS		1024u
#define PERF_MAX_BUILD_IDS	(1u << 20)
#define PERF_BUILD_ID_BYTES	20u

struct perf_build_id {
	char		*path;		/* owned */
	uint8_t		 bytes[PERF_BUILD_ID_BYTES];
	unsigned int	 nr;		/* of bytes */
};

struct perf_file {
	const struct source *source;	/* borrowed: for warnings */
	int		 fd;		/* borrowed */
	bool		 big_endian, swap, is_pipe;
	uint64_t	 from, to;	/* bytes of the file that are records */
	struct perf_attr *attrs;	/* owned, [nr_attrs] */
	unsigned int	 nr_attrs, cap_attrs;
	bool		 is_untimed;	/* samples of an event have no times: stamps of all rows are
					 * offsets in the file */
	unsigned int	 nr_named;	/* attributes that the feature EVENT_DESC names, in order */
	struct number_set ids;		/* of events: each is one on one CPU or of one task */
	uint32_t	*of_ids;	/* owned, [ids.nr]: index of the attribute */
	uint32_t	 cap_ids;
	struct {
		uint64_t id;
		uint32_t attr;		/* index + 1; 0: none */
	}		 near[PERF_NEAR_IDS];	/* ids that were added last, by their low bits */
	enum perf_target target;	/* of all events whose records do not tell theirs */
	uint16_t	 id_place, id_back;	/* where records have the id: as in struct
						 * perf_places; 0: nowhere */
	uint8_t		*tracing;	/* owned: TRACING_DATA, [nr_tracing]; or NULL */
	uint64_t	 nr_tracing, tracing_at;
	/* features; owned, or NULL */
	char		*hostname, *release, *version, *arch, *cmdline;
	bool		 has_kernel_id;
	uint8_t		 kernel_id[20];	/* build id */
	struct perf_build_id *build_ids;	/* owned, [by_path.nr]: of files that had samples */
	uint32_t	 cap_build_ids;
	struct index_map by_path;
	uint32_t	 nr_cpus;	/* configured; 0: unknown */
	uint32_t	 nr_online;	/* of these; 0: unknown */
	struct number_set cpus;		/* that events are of, as far as records tell */
	bool		 has_wall;	/* two clocks at one moment */
	uint64_t	 wall_ns, clock_ns;
};

/*
 * Read the header, and the sections.  @size: bytes of the file.  Damage in a section is a warning
 * of file->source.  The result is to be given to perf_file_fini() in any case.
 */
int perf_file_init(struct perf_file *file, const struct source *source, int fd, uint64_t size,
		   const uint8_t *head, size_t nr_head, struct ft_error *err);
void perf_file_fini(struct perf_file *file);

/* Is it one, by its first bytes? */
bool perf_file_is_it(const uint8_t *head, size_t len);

/* A record that is a part of the header: of an event, a feature, a name. */
void perf_file_take(struct perf_file *file, const struct perf_record *record);
/* The formats of tracepoints: @bytes from @at on. */
void perf_file_take_tracing(struct perf_file *file, uint64_t at, uint64_t bytes);

/* What the header says of a file; NULL: nothing. */
const struct perf_build_id *perf_file_build_id(const struct perf_file *file, const char *path);

/* NULL: no event has this id. */
const struct perf_attr *perf_file_attr_of_id(const struct perf_file *file, uint64_t id);

/* The event of a record; NULL: it has none, or its id is unknown. */
static inline const struct perf_attr *perf_file_attr(const struct perf_file *file,
						     const struct perf_record *record)
{
	bool is_sample = record->type == PERF_RECORD_SAMPLE;
	uint16_t at = is_sample ? file->id_place : file->id_back;
	const struct perf_attr *attr;
	uint64_t id;

	if (file->nr_attrs <= 1 || !at || at + PERF_HEADER_BYTES > record->size)
		return file->nr_attrs ? file->attrs : NULL;
	id = load_u64(is_sample ? record->data + at : record->data + record->size - at, file->swap);
	if (file->near[id % PERF_NEAR_IDS].attr && file->near[id % PERF_NEAR_IDS].id == id)
		return &file->attrs[file->near[id % PERF_NEAR_IDS].attr - 1];
	attr = perf_file_attr_of_id(file, id);
	/* what perf adds to what the kernel wrote has no id */
	return attr || is_sample ? attr : file->attrs;
}
#endif
