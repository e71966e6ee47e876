/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_user.h"

#include "parsers/types/field.h"
#include "parsers/types/user_symbols.h"
#include "src/base/number_set.h"
#include "src/trace/trace_private.h"

static struct user_symbols *read_symbols(const struct source *file)
{
	struct user_symbols *symbols = user_symbols_new();
	uint64_t size;
	const char *text = source_text(file, TRACE_TEXT_USER_SYMBOLS, &size);

	user_symbols_add(symbols, text, size);
	if (!size) {		/* the block has taken over what it could use of these */
		text = source_text(file, TRACE_TEXT_PROCMAPS, &size);
		user_symbols_add_procmaps(symbols, text, size);
	}
	user_symbols_sort(symbols);
	return symbols;
}

const struct user_symbols *trace_user_symbols(struct trace *trace, unsigned int file)
{
	struct trace_source *source = &trace->sources[file];
	struct user_symbols *old = atomic_load(&source->own->users), *symbols;

	if (old)
		return old;
	symbols = read_symbols(source->file);
	if (atomic_compare_exchange_strong(&source->own->users, &old, symbols))
		return symbols;
	user_symbols_free(symbols);	/* another thread was faster */
	return old;
}

int trace_user_tgid(struct trace *trace, const struct trace_event *event)
{
	const struct event_field *field = event->type ? event_type_field(event->type, "tgid") :
							NULL;
	int tgid;

	if (field && event_field_is_number(field))
		return (int)field_u64(field, event->data, event->size, event->swap);
	return trace_tgid(trace, event->file, event->pid, event->ts, &tgid) ? tgid : event->pid;
}

/* --- mappings --------------------------------------------------------------------------------- */

#define MOST_FORKS	64u	/* one after the other, without an exec */

struct map_search {
	const struct user_symbols *symbols;
	struct who_table *who;
	const struct trace_clock *clock;
	struct number_set *looked;	/* or NULL */
	uint64_t	 address;
};

static uint64_t raw_of(const struct trace_clock *clock, int64_t ts)
{
	bool above;

	return trace_clock_bound(clock, ts, &above);
}

static const struct user_map *find_map(const struct map_search *s, int tgid, int64_t ts,
				       uint64_t raw, unsigned int depth)
{
	struct user_time when = { raw, 0, UINT64_MAX };
	const struct user_map *map, *born;
	struct who_program program;
	bool is_new;

	who_table_program(s->who, tgid, ts, &program);
	when.from = raw_of(s->clock, program.from);
	if (program.to < INT64_MAX)
		when.to = raw_of(s->clock, program.to + 1) - 1;
	if (s->looked)
		number_set_add(s->looked, (uint64_t)tgid, &is_new);
	map = user_symbols_map(s->symbols, tgid, &when, s->address);
	if ((map && map->first <= raw) || !program.copied || depth == MOST_FORKS)
		return map;
	/* what it was born with comes before what was seen of it later */
	born = find_map(s, program.copied, program.from, when.from, depth + 1);
	return map && born && !user_map_is_same(map, born) ? &user_map_unsure : map ?: born;
}

const struct user_map *trace_user_map(struct trace *trace, const struct trace_event *event,
				      uint64_t address, struct number_set *looked)
{
	const struct map_search s = {
		.symbols = trace_user_symbols(trace, event->file),
		.who = trace->sources[event->file].who,
		.clock = &trace->streams[event->stream].clock,
		.looked = looked,
		.address = address,
	};

	return find_map(&s, trace_user_tgid(trace, event), event->ts, event->raw_ts, 0);
}

bool trace_user_place(struct trace *trace, const struct trace_event *event, uint64_t address,
		      struct user_place *place)
{
	return user_symbols_place(trace_user_symbols(trace, event->file),
				  trace_user_map(trace, event, address, NULL), address, place);
}

bool trace_user_name(struct trace *trace, const struct trace_event *event, uint64_t address,
		     bool is_return, bool exact, struct text *out)
{
	bool is_named = (int64_t)address < 0;	/* by a line of perf script: see line_file.h */
	struct user_place place;
	uint64_t offset;
	const char *name = is_named ? trace_symbol(trace, event->file, address, &offset) : NULL;

	if (name) {
		text_add(out, name);
		if (exact && offset)
			text_printf(out, "+0x%llx", (unsigned long long)offset);
		return true;
	}
	if (!trace_user_place(trace, event, address - is_return, &place))
		return false;
	place.place += is_return;
	place.offset += is_return;
	user_place_text(&place, exact, out);
	return true;
}
