/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "parsers/types/user_symbols.h"
#include "src/base/memory.h"
#include "src/base/number_set.h"
#include "src/match/event_sweep.h"
#include "src/symbols/elf_helper.h"
#include "src/symbols/elf_names.h"

/* Fields that hold an address, of probes. */
static const char *const address_fields[] = { "__probe_ip", "__probe_func", "__probe_ret_ip",
					      "ip" };

#define NR_FIELDS	(sizeof(address_fields) / sizeof(address_fields[0]))

struct type_addresses {			/* where an event type has addresses */
	const struct event_type	*type;	/* NULL: not looked at yet */
	const struct event_field *fields[NR_FIELDS];	/* NULL: it has none of that name */
};

struct address_search {
	struct trace		*trace;	/* borrowed */
	const struct user_symbols *old;	/* borrowed: mappings */
	const struct user_file	*files;	/* borrowed, [nr_files] */
	uint32_t		 nr_files;
	struct type_addresses	*types;	/* owned, [nr_types], by number */
	uint32_t		 nr_types;
	struct number_set	 seen;	/* hashes of process and address */
	struct number_set	 tgids;
	struct number_set	*places; /* owned, [nr_files] */
	uint64_t		*addresses; /* owned: a stack */
	struct symbols_result	*result;
};

/* --- addresses -------------------------------------------------------------------------------- */

static void see_address(struct address_search *s, const struct trace_event *event, int tgid,
			uint64_t address)
{
	const struct user_map *map;
	bool is_new;

	/* at other times something else may be there, which a look-up tells */
	number_set_add(&s->seen, index_map_mix((uint64_t)tgid, address), &is_new);
	s->result->addresses += is_new;
	map = trace_user_map(s->trace, event, address, &s->tgids);
	if (!map || map->file == USER_NO_FILE)
		return;
	s->result->mapped += is_new;
	number_set_add(&s->places[map->file], address - map->from + map->place, &is_new);
}

static void see_stack(struct address_search *s, const struct trace_event *event)
{
	unsigned int nr = trace_event_addresses(s->trace, event, s->addresses, TRACE_MAX_STACK);
	int tgid = trace_user_tgid(s->trace, event);

	/* the first is where it is, the others are where calls return to */
	for (unsigned int i = 0; i < nr; i++)
		see_address(s, event, tgid, s->addresses[i] - (i > 0));
}

static const struct type_addresses *type_of(struct address_search *s,
					    const struct trace_event *event)
{
	struct type_addresses *t;

	mem_reach(&s->types, &s->nr_types, (uint32_t)event->type_id);
	t = &s->types[event->type_id];
	if (t->type == event->type)
		return t;
	t->type = event->type;
	for (size_t i = 0; i < NR_FIELDS; i++) {
		const struct event_field *field = event_type_field(event->type, address_fields[i]);

		t->fields[i] = field && event_field_is_number(field) ? field : NULL;
	}
	return t;
}

static void see_event(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct address_search *s = arg;
	const struct type_addresses *t;

	(void)sweep;
	if (!event || event->kind != TRACE_ROW_EVENT || !event->type || event->type_id < 0)
		return;
	if (trace_event_is_stack(event)) {
		if (!strcmp(event->type->name, "user_stack"))
			see_stack(s, event);
		return;
	}
	t = type_of(s, event);
	for (size_t i = 0; i < NR_FIELDS; i++) {
		uint64_t address = t->fields[i] ? field_u64(t->fields[i], event->data, event->size,
							    event->swap) :
						  0;

		/* most are the kernel's, in the upper half */
		if (address && !(address >> 63))
			see_address(s, event, trace_user_tgid(s->trace, event), address);
	}
}

static void find_addresses(struct address_search *s)
{
	struct event_sweep *sweep = event_sweep_new(s->trace, &(struct event_sweep_options){ 0 },
						    see_event, s);

	event_sweep_wait(sweep);
	event_sweep_free(sweep);
}

/* --- the block -------------------------------------------------------------------------------- */

/* Append why a file has no names. */
static void note(const struct user_file *file, enum elf_result result, const char *how,
		 struct text *out)
{
	static const char *const words[] = {
		[ELF_NOT_THERE] = "not found",
		[ELF_IS_ANOTHER] = "has another build ID than when it was recorded",
		[ELF_NOT_READ] = "cannot be read as an ELF file",
	};

	if (words[result])
		text_printf(out, "%s: %s%s%s", file->path, words[result], *how ? ": " : "", how);
}

struct user_symbols *symbols_of_file(const char *sysroot, const struct user_file *file,
				     struct text *why)
{
	struct user_symbols *names;
	char how[ELF_HOW_BYTES];
	enum elf_result result;

	if (!elf_helper_is_built())
		return NULL;
	result = elf_names_of(sysroot, file, NULL, 0, &names, how);
	/* memory without a file, whose program need not tell perf of its code */
	if (result != ELF_NOT_THERE || strncmp(file->path, "/tmp/perf-", 10))
		note(file, result, how, why);
	return names;
}

static void count_named(struct address_search *s, const struct user_symbols *symbols, uint32_t file,
			const struct number_set *places)
{
	s->result->places += places->nr;
	for (uint32_t i = 0; i < places->nr; i++)
		s->result->named += user_symbols_name(symbols, file, places->numbers[i]) != NULL;
}

/* Append a file's line, and its functions to @lines; @number: that of the file in the block. */
static void put_file(struct address_search *s, const char *sysroot, uint32_t i, uint32_t number,
		     struct text *block, struct text *lines)
{
	const struct number_set *places = &s->places[i];
	struct user_symbols *found = NULL;
	struct user_file file = s->files[i];
	const struct user_name *names;
	enum elf_result result = ELF_FOUND;
	char how[ELF_HOW_BYTES];
	uint32_t nr;

	if (places->nr && *file.path == '/') {
		result = elf_names_of(sysroot, &file, places->numbers, places->nr, &found, how);
		note(&file, result, how, &s->result->notes);
		if (result != ELF_FOUND)
			text_char(&s->result->notes, '\n');
	}
	if (found && !*file.build_id)
		file.build_id = user_symbols_files(found, &nr)->build_id;
	user_file_line(&file, block);
	names = found ? user_symbols_names(found, 0, &nr) : user_symbols_names(s->old, i, &nr);
	count_named(s, found ? found : s->old, found ? 0 : i, places);
	for (uint32_t k = 0; k < nr; k++) {
		struct user_name name = names[k];

		name.file = number;
		user_name_line(&name, lines);
	}
	user_symbols_free(found);
}

/* All mappings of the processes that occur: also those that only make others doubtful. */
static void put_block(struct address_search *s, const char *sysroot, struct text *block)
{
	const struct user_map *maps = user_symbols_maps(s->old, &s->result->maps);
	uint32_t *numbers = mem_array(s->nr_files + 1ul, sizeof(*numbers)), nr = 0;
	struct text lines = { 0 };

	for (uint32_t i = 0; i < s->result->maps; i++) {
		struct user_map map = maps[i];

		if (!number_set_has(&s->tgids, (uint64_t)map.tgid))
			continue;
		if (map.file != USER_NO_FILE) {
			if (!numbers[map.file]) {
				numbers[map.file] = ++nr;
				put_file(s, sysroot, map.file, nr - 1, block, &lines);
			}
			map.file = numbers[map.file] - 1;
		}
		user_map_line(&map, &lines);
	}
	text_bytes(block, text_str(&lines), lines.len);
	text_fini(&lines);
	free(numbers);
}

void symbols_find(struct trace *trace, const char *sysroot, struct text *block,
		  struct symbols_result *result)
{
	struct address_search s = { .trace = trace,
				   .old = trace_user_symbols(trace, 0),
				   .result = result };

	*result = (struct symbols_result){ 0 };
	s.files = user_symbols_files(s.old, &s.nr_files);
	s.places = mem_array(s.nr_files + 1ul, sizeof(*s.places));
	s.addresses = mem_array(TRACE_MAX_STACK, sizeof(*s.addresses));
	find_addresses(&s);
	put_block(&s, sysroot, block);
	for (uint32_t i = 0; i < s.nr_files; i++)
		number_set_fini(&s.places[i]);
	number_set_fini(&s.seen);
	number_set_fini(&s.tgids);
	free(s.places);
	free(s.types);
	free(s.addresses);
}

void symbols_result_fini(struct symbols_result *result)
{
	text_fini(&result->notes);
}
