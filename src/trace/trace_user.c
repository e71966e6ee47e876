/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_user.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parsers/types/field.h"
#include "parsers/types/user_symbols.h"
#include "src/base/number_set.h"
#include "src/trace/trace_private.h"

#define MOST_AHEAD	512u	/* a trace with more files has each read when it is needed */

struct trace_users {			/* of a file of the trace */
	struct user_symbols *symbols;	/* owned: what the trace itself has */
	pthread_mutex_t	 lock;		/* held while functions of a file are found */
	/* owned, [nr_files]: functions of a file; NULL: not found yet.  NULL: nobody finds them */
	_Atomic(struct user_symbols *) *found;
	uint32_t	 nr_files;
	bool		*asked;		/* owned, [nr_files]: main thread's: a job finds them */
};

/* One command line, one way for all traces of the program. */
static struct {
	trace_user_find	*find;
	const char	*sysroot;
} way;

void trace_user_find_by(trace_user_find *find, const char *sysroot)
{
	way.find = find;
	way.sysroot = sysroot;
}

static struct trace_users *read_users(const struct source *file)
{
	struct trace_users *users = mem_alloc(sizeof(*users));
	uint64_t size;
	const char *text = source_text(file, TRACE_TEXT_USER_SYMBOLS, &size);

	users->symbols = user_symbols_new();
	pthread_mutex_init(&users->lock, NULL);
	user_symbols_add(users->symbols, text, size);
	if (!size) {		/* the block has taken over what it could use of these */
		text = source_text(file, TRACE_TEXT_PROCMAPS, &size);
		user_symbols_add_procmaps(users->symbols, text, size);
	}
	user_symbols_sort(users->symbols);
	if (!way.find || !source_info(file)->names_files)
		return users;
	user_symbols_files(users->symbols, &users->nr_files);
	users->found = mem_array(users->nr_files + 1ul, sizeof(*users->found));
	users->asked = mem_array(users->nr_files + 1ul, sizeof(*users->asked));
	return users;
}

void trace_users_free(struct trace_users *users)
{
	if (!users)
		return;
	for (uint32_t i = 0; i < users->nr_files; i++)
		user_symbols_free(users->found[i]);
	free(users->found);
	free(users->asked);
	user_symbols_free(users->symbols);
	pthread_mutex_destroy(&users->lock);
	free(users);
}

static struct trace_users *users_of(struct trace *trace, unsigned int file)
{
	struct trace_source *source = &trace->sources[file];
	struct trace_users *old = atomic_load(&source->own->users), *users;

	if (old)
		return old;
	users = read_users(source->file);
	if (atomic_compare_exchange_strong(&source->own->users, &old, users))
		return users;
	trace_users_free(users);	/* another thread was faster */
	return old;
}

const struct user_symbols *trace_user_symbols(struct trace *trace, unsigned int file)
{
	return users_of(trace, file)->symbols;
}

/* --- functions of files ----------------------------------------------------------------------- */

/* Waits. */
static const struct user_symbols *find_functions(struct trace *trace, unsigned int file,
						 uint32_t number)
{
	struct trace_users *users = users_of(trace, file);
	uint32_t nr;
	const struct user_file *of = &user_symbols_files(users->symbols, &nr)[number];
	struct user_symbols *found;
	struct text why = { 0 };

	pthread_mutex_lock(&users->lock);
	found = atomic_load(&users->found[number]);
	if (!found) {
		found = way.find(way.sysroot, of, &why) ?: user_symbols_new();
		atomic_store(&users->found[number], found);
	}
	pthread_mutex_unlock(&users->lock);
	if (why.len && *of->path == '/')
		source_add_note(trace->sources[file].file,
				"functions without names: %s; --sysroot DIR looks for it below DIR",
				text_str(&why));
	text_fini(&why);
	return found;
}

struct find_job {
	struct trace	*trace;
	unsigned int	 file;
	uint32_t	 number;
	bool		 is_ahead;	/* nobody waits for this file */
};

static void find_job(void *arg, unsigned int worker, bool cancelled)
{
	struct find_job *job = arg;

	(void)worker;
	if (!cancelled && !trace_is_closing(job->trace))
		find_functions(job->trace, job->file, job->number);
	if (atomic_fetch_sub(&job->trace->users_awaited, 1) == 1 || !job->is_ahead)
		atomic_fetch_add(&job->trace->users_came, 1);
	free(job);
}

static void add_job(struct trace *trace, unsigned int file, uint32_t number, bool is_ahead)
{
	struct find_job *job = mem_alloc(sizeof(*job));

	users_of(trace, file)->asked[number] = true;
	*job = (struct find_job){ trace, file, number, is_ahead };
	atomic_fetch_add(&trace->users_awaited, 1);
	workers_add(trace->workers, &trace->group, is_ahead ? WORKER_BACKGROUND : WORKER_VISIBLE,
		    find_job, job);
}

unsigned int trace_user_came(const struct trace *trace)
{
	return atomic_load(&trace->users_came);
}

/* Return: NULL: they are still to come.  So are those of other files that had samples. */
static const struct user_symbols *functions_of(struct trace *trace, unsigned int file,
					       uint32_t number)
{
	struct trace_users *users = users_of(trace, file);
	const struct user_symbols *found = atomic_load(&users->found[number]);
	const struct user_file *files;
	uint32_t nr;

	if (found)
		return found;
	if (!trace->options.names_later || !pthread_equal(pthread_self(), trace->opener))
		return find_functions(trace, file, number);
	if (users->asked[number])
		return NULL;
	add_job(trace, file, number, false);
	files = user_symbols_files(users->symbols, &nr);
	for (uint32_t i = 0; i < nr && nr <= MOST_AHEAD; i++)
		if (*files[i].build_id && !users->asked[i])
			add_job(trace, file, i, true);
	return NULL;
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
	const struct trace_users *users = users_of(trace, event->file);
	const struct user_map *map = trace_user_map(trace, event, address, NULL);
	const struct user_symbols *found;
	const struct user_name *name;

	if (!user_symbols_place(users->symbols, map, address, place))
		return false;
	found = users->found ? functions_of(trace, event->file, map->file) : NULL;
	name = found ? user_symbols_name(found, 0, place->place) : NULL;
	if (name) {
		place->function = name->name;
		place->offset = place->place - name->from;
	}
	return true;
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
