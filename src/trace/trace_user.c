/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_user.h"

#include "parsers/types/field.h"
#include "parsers/types/user_symbols.h"
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

bool trace_user_name(struct trace *trace, const struct trace_event *event, uint64_t address,
		     bool is_return, bool exact, struct text *out)
{
	const struct user_symbols *symbols = trace_user_symbols(trace, event->file);
	struct user_place place;

	if (!user_symbols_find(symbols, trace_user_tgid(trace, event), event->raw_ts,
			       address - is_return, &place))
		return false;
	place.place += is_return;
	place.offset += is_return;
	user_place_text(&place, exact, out);
	return true;
}
