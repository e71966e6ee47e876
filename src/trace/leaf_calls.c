/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/leaf_calls.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/trace/trace_private.h"

#define CACHE_BYTES (64u << 10)
#define PAGES 8 /* pages kept: a scan reads two side by side, and their neighbours */

struct leaf_types { /* the event types of a file that make calls; NULL: it has no such type */
	bool known;
	const struct event_type *entry, *retaddr_entry, *exit;
	const struct event_field *entry_func, *retaddr_func, *exit_func;
	struct page_cache *cache; /* owned */
};

struct leaf_record {
	uint32_t data, size; /* offset of the payload in the page; its bytes */
	uint64_t ts;
};

struct leaf_page { /* its records, decoded once */
	bool used, lost, damaged;
	unsigned int stream;
	uint64_t page;
	uint8_t *bytes; /* owned, [len] */
	uint32_t len, cap_bytes;
	struct leaf_record *records; /* owned, [nr]: items 1 … */
	unsigned int nr, cap;
};

struct leaf_calls {
	struct trace *trace;      /* borrowed */
	struct leaf_types *types; /* owned, [files] */
	struct leaf_page pages[PAGES];
	unsigned int last, next; /* page used last; page to replace */
};

struct leaf_calls *leaf_calls_new(struct trace *trace)
{
	struct leaf_calls *leaves = mem_alloc(sizeof(*leaves));

	leaves->trace = trace;
	leaves->types = mem_array(trace_nr_files(trace) + 1, sizeof(*leaves->types));
	return leaves;
}

void leaf_calls_free(struct leaf_calls *leaves)
{
	if (!leaves)
		return;
	for (unsigned int i = 0; i < trace_nr_files(leaves->trace); i++)
		page_cache_free(leaves->types[i].cache);
	for (unsigned int i = 0; i < PAGES; i++) {
		free(leaves->pages[i].bytes);
		free(leaves->pages[i].records);
	}
	free(leaves->types);
	free(leaves);
}

static const struct event_field *func_of(const struct event_type *type)
{
	return type ? event_type_field(type, "func") : NULL;
}

static struct leaf_types *types_of(struct leaf_calls *leaves, unsigned int file)
{
	struct event_types *types = leaves->trace->sources[file].types;
	struct leaf_types *t = &leaves->types[file];

	if (t->known)
		return t;
	t->known = true;
	t->entry = event_types_by_name(types, "ftrace", "funcgraph_entry");
	t->retaddr_entry = event_types_by_name(types, "ftrace", "fgraph_retaddr_entry");
	t->exit = event_types_by_name(types, "ftrace", "funcgraph_exit");
	t->entry_func = func_of(t->entry);
	t->retaddr_func = func_of(t->retaddr_entry);
	t->exit_func = func_of(t->exit);
	return t;
}

/* --- pages ---------------------------------------------------------------- */

static void decode(struct leaf_page *p, const struct sub_buffer_layout *layout)
{
	struct sub_buffer sb;
	struct record rec;

	p->nr = 0;
	sub_buffer_open(&sb, layout, p->bytes, p->len);
	p->lost = sb.lost;
	while (sub_buffer_next(&sb, &rec)) {
		mem_grow(&p->records, p->nr, &p->cap);
		p->records[p->nr++] = (struct leaf_record){ (uint32_t)(rec.data - p->bytes),
							    rec.size, rec.ts };
	}
	p->damaged = sb.damage != SUB_BUFFER_SOUND;
}

/* Pages of its own, so that any thread may have such an object. */
static const struct leaf_page *load(struct leaf_calls *leaves, unsigned int nr, uint64_t page)
{
	const struct trace_stream *stream = &leaves->trace->streams[nr];
	struct leaf_types *types = types_of(leaves, stream->source);
	struct leaf_page *p;
	const uint8_t *bytes;

	for (unsigned int i = 0; i < PAGES; i++) {
		p = &leaves->pages[(leaves->last + i) % PAGES];
		if (p->used && p->page == page && p->stream == nr) {
			leaves->last = (leaves->last + i) % PAGES;
			return p;
		}
	}
	if (!types->cache)
		types->cache = page_cache_new(leaves->trace->sources[stream->source].file,
					      CACHE_BYTES);
	p = &leaves->pages[leaves->next];
	leaves->last = leaves->next;
	leaves->next = (leaves->next + 1) % PAGES;
	p->used = true;
	p->stream = nr;
	p->page = page;
	bytes = page_cache_get(types->cache, stream->number, page, &p->len);
	p->len = bytes ? p->len : 0;
	if (p->len > p->cap_bytes) {
		p->cap_bytes = p->len;
		p->bytes = mem_resize(p->bytes, p->cap_bytes, 1);
	}
	if (p->len)
		memcpy(p->bytes, bytes, p->len);
	decode(p, stream->layout);
	return p;
}

/* The next or previous record, and its page; NULL at an end, or where records are missing. */
static const struct leaf_record *neighbour(struct leaf_calls *leaves, trace_ref ref, bool after,
					   const struct leaf_page **at)
{
	unsigned int nr = trace_ref_stream(ref), item = trace_ref_item(ref);
	uint64_t page = trace_ref_page(ref);
	uint64_t pages = trace_stream_pages(leaves->trace, &leaves->trace->streams[nr]);
	uint64_t start = page_index_start(&leaves->trace->streams[nr].index);
	const struct leaf_page *p = *at = load(leaves, nr, page);

	if (item - 1 >= p->nr)
		return NULL;
	if (after ? item < p->nr : item > 1)
		return &p->records[after ? item : item - 2];
	if (after ? p->damaged || page + 1 >= pages : p->lost || page <= start)
		return NULL;
	p = *at = load(leaves, nr, after ? page + 1 : page - 1);
	if (!p->nr || (after ? p->lost : p->damaged))
		return NULL;
	return &p->records[after ? 0 : p->nr - 1];
}

/* --- calls ------------------------------------------------------------------ */

static bool is_pair(struct leaf_calls *leaves, const struct trace_event *event, bool enters,
		    const struct leaf_page *p, const struct leaf_record *rec)
{
	const struct leaf_types *t = types_of(leaves, event->file);
	const struct common_layout *common = &leaves->trace->sources[event->file].kinds.common;
	const uint8_t *data = p->bytes + rec->data;
	int id = field_type_id(common, data, rec->size, event->swap);
	const struct event_field *mine = !enters                 ? t->exit_func :
					 event->type == t->entry ? t->entry_func :
								   t->retaddr_func;
	const struct event_field *other = enters ? (id == t->exit->id ? t->exit_func : NULL) :
					  t->entry && id == t->entry->id ? t->entry_func :
					  t->retaddr_entry && id == t->retaddr_entry->id ?
									   t->retaddr_func :
									   NULL;

	return mine && other && field_pid(common, data, rec->size, event->swap) == event->pid &&
	       field_u64(mine, event->data, event->size, event->swap) ==
		       field_u64(other, data, rec->size, event->swap);
}

static bool find_other(struct leaf_calls *leaves, const struct trace_event *event, bool enters,
		       struct trace_event *other)
{
	const struct leaf_record *rec;
	const struct leaf_page *p;
	struct cursor_row row;

	rec = neighbour(leaves, event->ref, enters, &p);
	if (!rec || !is_pair(leaves, event, enters, p, rec))
		return false;
	row = (struct cursor_row){
		.page = p->page,
		.item = (uint32_t)(rec - p->records) + 1,
		.size = rec->size,
		.room = p->len - rec->data,
		.in_page = rec->data,
		.key = rec->ts,
		.ts = rec->ts,
		.data = p->bytes + rec->data,
	};
	trace_fill_event(leaves->trace, event->stream, &row, other);
	return true;
}

bool leaf_calls_exit(struct leaf_calls *leaves, const struct trace_event *event,
		     struct trace_event *exit)
{
	const struct leaf_types *t;

	if (!leaves || event->kind != TRACE_ROW_EVENT || !event->type)
		return false;
	t = types_of(leaves, event->file);
	return t->exit && (event->type == t->entry || event->type == t->retaddr_entry) &&
	       find_other(leaves, event, true, exit);
}

bool leaf_calls_entry(struct leaf_calls *leaves, const struct trace_event *event,
		      struct trace_event *entry)
{
	return leaves && event->kind == TRACE_ROW_EVENT && event->type &&
	       event->type == types_of(leaves, event->file)->exit &&
	       find_other(leaves, event, false, entry);
}
