/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/ctf/ctf_helper.h"
#include "parsers/ctf/ctf_wire.h"
#include "parsers/io/byte_reader.h"
#include "parsers/io/open_progress.h"
#include "parsers/source/source_form.h"
#include "parsers/spool/spool.h"
#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/base/number_set.h"
#include "src/base/text.h"

#define RECEIVE_BYTES	(2u * CTF_MAX_BYTES)
#define MAX_ID		UINT16_MAX
#define MOST_NAMES	(1u << 20)	/* of tasks; also most tasks */
#define MOST_FORMATS	(64u << 20)	/* bytes of all formats */
#define SHOWN_MS	200		/* until it is shown how far a slow one is */

struct ctf_format {
	int		 id;
	size_t		 from, own_name, text;	/* in the text */
	uint32_t	 len;		/* of the format */
	uint8_t		 lacks;
};

struct ctf_task {
	int		 process;	/* 0: unknown */
	unsigned int	 name;		/* its last one: index + 1 of names; 0: none */
};

struct ctf_source {
	struct spool_source base;
	const struct open_progress *progress;	/* while it is opened */
	struct text	 uname, writer, clock, failed;
	bool		 has_ended, is_silent;
	struct ctf_ask	 ask;		/* traces that killed a helper */
	uint32_t	 at;		/* the trace that is looked at */
	struct text	 at_name;
	uint64_t	 done;		/* of info.size bytes */
	char		*hosts[CTF_MAX_HOSTS];	/* owned */
	unsigned int	 nr_hosts;
	uint8_t		 has_format[MAX_ID / 8 + 1];
	struct text	 formats;	/* of all types: "SYSTEM\0OWN NAME\0FORMAT" */
	struct ctf_format *made;	/* owned, [nr_made] */
	unsigned int	 nr_made, cap_made;
	struct number_set pids;
	struct ctf_task	*tasks;		/* owned, by index of pids */
	unsigned int	 nr_tasks;
	struct source_name *names;	/* owned, [nr_names] */
	unsigned int	 nr_names, cap_names;
	struct arena	 arena;		/* names */
};

static struct ctf_helper_ways helpers;

void ctf_set_helper(const struct ctf_helper_ways *ways)
{
	helpers = *ways;
}

static const struct ctf_source *const_ctf(const struct source *source)
{
	return (const struct ctf_source *)source;
}

/* --- what the helper tells ------------------------------------------------------------------- */

static bool add_format(struct ctf_source *s, const struct ctf_head *head, const char *text)
{
	const char *end = text + head->bytes, *name = memchr(text, '\n', head->bytes),
		   *format = name ? memchr(name + 1, '\n', (size_t)(end - name - 1)) : NULL;
	struct ctf_format made = { .id = (int)head->id, .from = s->formats.len,
				   .lacks = (uint8_t)head->cpu };

	if (!format || head->cpu > FORMAT_LACKS_ALL || !head->id || head->id > MAX_ID ||
	    memchr(text, '\0', head->bytes) || s->has_format[head->id / 8] >> head->id % 8 & 1 ||
	    s->formats.len + head->bytes > MOST_FORMATS)
		return false;
	s->has_format[head->id / 8] |= (uint8_t)(1 << head->id % 8);
	made.own_name = made.from + (size_t)(name + 1 - text);
	made.text = made.from + (size_t)(format + 1 - text);
	made.len = (uint32_t)(end - format - 1);
	text_bytes(&s->formats, text, head->bytes);
	s->formats.data[made.own_name - 1] = s->formats.data[made.text - 1] = '\0';
	mem_grow(&s->made, s->nr_made, &s->cap_made);
	s->made[s->nr_made++] = made;
	return true;
}

static bool add_record(struct ctf_source *s, const struct ctf_head *head, const char *record)
{
	unsigned int id;

	if (head->bytes < 8 || head->bytes > CTF_MAX_RECORD || head->bytes & 3)
		return false;
	id = load_u16(record, false);
	if (!(s->has_format[id / 8] >> id % 8 & 1))
		return false;
	spool_add(&s->base, spool_lane(&s->base, head->host, head->cpu), head->ts, record,
		  head->bytes);
	return true;
}

/* A name is kept if it differs from the task's last one. */
static bool add_task(struct ctf_source *s, const struct ctf_head *head, const char *name)
{
	unsigned int len = (unsigned int)strnlen(name, head->bytes);
	const struct source_name *last;
	struct ctf_task *task;
	bool is_new;
	uint32_t at;

	if (s->nr_names == MOST_NAMES || s->pids.nr == MOST_NAMES)
		return true;
	at = number_set_add(&s->pids, head->id, &is_new);
	mem_reach(&s->tasks, &s->nr_tasks, at);
	task = &s->tasks[at];
	if (head->cpu)
		task->process = (int)head->cpu;
	last = task->name ? &s->names[task->name - 1] : NULL;
	if (!len || (last && last->len == len && !memcmp(last->name, name, len)))
		return true;
	mem_grow(&s->names, s->nr_names, &s->cap_names);
	s->names[s->nr_names++] = (struct source_name){
		(int)head->id, head->ts, arena_strndup(&s->arena, name, len), len
	};
	task->name = s->nr_names;
	return true;
}

static bool add_host(struct ctf_source *s, const struct ctf_head *head, const char *name)
{
	if (head->host != s->nr_hosts || s->nr_hosts == CTF_MAX_HOSTS)
		return false;
	s->hosts[s->nr_hosts++] = mem_strndup(name, strnlen(name, head->bytes));
	return true;
}

static bool set_text(struct text *text, const struct ctf_head *head, const char *bytes)
{
	text_clear(text);
	text_bytes(text, bytes, strnlen(bytes, head->bytes));
	return true;
}

static void tell_progress(const struct ctf_source *s)
{
	open_progress_tell(s->progress, s->base.base.path, s->done, s->base.base.info.size);
}

/* Return: false: no helper of ours says that. */
static bool take(struct ctf_source *s, const struct ctf_head *head, const char *bytes)
{
	struct source_info *info = &s->base.base.info;

	switch ((enum ctf_kind)head->kind) {
	case CTF_HOST:
		return add_host(s, head, bytes);
	case CTF_UNAME:
		return set_text(&s->uname, head, bytes);
	case CTF_WRITER:
		return set_text(&s->writer, head, bytes);
	case CTF_CLOCK:
		return set_text(&s->clock, head, bytes);
	case CTF_WALL:
		info->has_wall = true;
		info->wall_offset_ns = (int64_t)head->ts;
		return true;
	case CTF_SIZE:
		info->size = head->ts;
		return true;
	case CTF_DONE:
		s->done = head->ts;
		tell_progress(s);
		return true;
	case CTF_ALIVE:
		return true;
	case CTF_AT:
		s->at = head->id;
		return set_text(&s->at_name, head, bytes);
	case CTF_FORMAT:
		return add_format(s, head, bytes);
	case CTF_RECORD:
		return head->host < s->nr_hosts && add_record(s, head, bytes);
	case CTF_LOST:
		if (head->host >= s->nr_hosts)
			return false;
		spool_lost(&s->base, spool_lane(&s->base, head->host, head->cpu), head->ts,
			   head->id);
		return true;
	case CTF_TASK:
		return add_task(s, head, bytes);
	case CTF_WARNING:
		if (s->ask.nr && s->at < s->ask.left_out[s->ask.nr - 1])
			return true;	/* the helper before has said that */
		source_add_warning(&s->base.base, -1, "%.*s", (int)strnlen(bytes, head->bytes),
				   bytes);
		return true;
	case CTF_FAILED:
		return set_text(&s->failed, head, bytes);
	case CTF_END:
		s->has_ended = true;
		return true;
	}
	return false;
}

/* Take the whole messages of [from, to).  Return: what is left; NULL: it is no message. */
static const char *take_messages(struct ctf_source *s, const char *from, const char *to)
{
	struct ctf_head head;

	while (!s->has_ended && (size_t)(to - from) >= sizeof(head)) {
		memcpy(&head, from, sizeof(head));
		if (head.bytes > CTF_MAX_BYTES)
			return NULL;
		if ((size_t)(to - from) < sizeof(head) + head.bytes)
			break;
		if (!take(s, &head, from + sizeof(head)))
			return NULL;
		from += sizeof(head) + head.bytes;
	}
	return from;
}

/*
 * Listen until the helper has told all, has ended, or has not told a whole message for too long.
 * Shows how far it is also when it says nothing.  Only time in which this process waited counts:
 * both may have been stopped.
 */
static void listen_to(struct ctf_source *s, int helper)
{
	char *buffer = mem_alloc(RECEIVE_BYTES);
	const char *rest = buffer;
	unsigned int silent_ms = 0;
	size_t len = 0;

	while (rest && !s->has_ended) {
		ssize_t got = framing_receive_some(helper, buffer + len, RECEIVE_BYTES - len,
						   framing_now() + SHOWN_MS);

		s->is_silent = got < 0 && errno == EAGAIN;
		silent_ms += s->is_silent ? SHOWN_MS : 0;
		if (s->is_silent && silent_ms < helpers.patience_ms) {
			tell_progress(s);
			continue;
		}
		if (got <= 0)
			break;
		len += (size_t)got;
		rest = take_messages(s, buffer, buffer + len);
		if (rest && rest > buffer) {
			len -= (size_t)(rest - buffer);
			memmove(buffer, rest, len);
			silent_ms = 0;
		}
	}
	free(buffer);
}

/* How a helper failed that has not told all. */
static void describe_end(const struct ctf_source *s, int helper, struct text *out)
{
	char buf[128];
	/* a silent one is ended by that */
	const char *how = helpers.how ? helpers.how(helper, buf, sizeof(buf)) : "ended too early";

	text_clear(out);
	if (s->is_silent)
		text_printf(out, "libbabeltrace2 did not answer for %u s",
			    helpers.patience_ms / 1000);
	else
		text_printf(out, "libbabeltrace2 %s", how);
}

/* Have a helper tell all.  @end: how it failed, if it did.  Return: false: there is none. */
static bool ask_helper(struct ctf_source *s, struct text *end)
{
	int helper = helpers.start ? helpers.start() : -1;

	if (helper < 0)
		return false;
	s->at = CTF_NO_TRACE;
	if (!framing_send_fds(helper, &s->ask, sizeof(s->ask), &s->base.base.fd, 1))
		listen_to(s, helper);
	if (!s->has_ended)
		describe_end(s, helper, end);
	close(helper);
	return true;
}

/* One trace of a folder killed the helper before it told of any: the others may be readable. */
static bool leave_out(struct ctf_source *s, const struct text *end, int64_t until)
{
	if (s->has_ended || s->nr_hosts || s->at == CTF_NO_TRACE ||
	    s->ask.nr == CTF_MOST_LEFT_OUT || framing_now() > until)
		return false;
	s->ask.left_out[s->ask.nr++] = s->at;
	source_add_warning(&s->base.base, -1, "%s: %s", text_str(&s->at_name), text_str(end));
	return true;
}

/* Return: 0; -1: nothing of the folder can be shown. */
static int read_folder(struct ctf_source *s, struct ft_error *err)
{
	int64_t until = framing_now() + helpers.patience_ms;	/* who waits has had enough then */
	struct source *base = &s->base.base;
	struct text end = { 0 };
	bool is_there;
	int ret = 0;

	do
		is_there = ask_helper(s, &end);
	while (is_there && leave_out(s, &end, until));
	s->done = base->info.size;
	tell_progress(s);
	if (!is_there)
		text_add(&s->failed, "the helper that reads CTF traces could not be started");
	else if (!s->failed.len && !s->nr_hosts && !s->has_ended)
		text_printf(&s->failed, "%s%s%s: the trace may be damaged; try babeltrace2",
			    s->at == CTF_NO_TRACE ? "" : text_str(&s->at_name),
			    s->at == CTF_NO_TRACE ? "" : ": ", text_str(&end));
	if (s->failed.len && source_nr_warnings(base))
		ret = ft_error_set(err, FT_E_FORMAT, -1, "%s: %s", text_str(&s->failed),
				   source_warning(base, 0).message);
	else if (s->failed.len)
		ret = ft_error_set(err, is_there ? FT_E_FORMAT : FT_E_IO, -1, "%s",
				   text_str(&s->failed));
	else if (!s->has_ended)
		source_add_warning(base, -1, "%s: the rest is missing", text_str(&end));
	text_fini(&end);
	return ret;
}

/* --- the source ------------------------------------------------------------------------------ */

static const struct source_ops ctf_ops;

/* Several hosts are buffers with their names; the first one is the top buffer. */
static void add_buffers(struct ctf_source *s)
{
	struct source *base = &s->base.base;

	base->nr_buffers = s->nr_hosts ? s->nr_hosts : 1;
	base->buffers = mem_array(base->nr_buffers, sizeof(*base->buffers));
	for (unsigned int i = 0; i < base->nr_buffers; i++) {
		base->buffers[i].name = i ? s->hosts[i] : "";
		base->buffers[i].clock = text_str(&s->clock);
	}
}

static void add_info(struct ctf_source *s)
{
	struct source_info *info = &s->base.base.info;

	info->uname = text_str(&s->uname);
	info->writer = text_str(&s->writer);
	info->names = s->names;
	info->nr_names = s->nr_names;
	info->has_texts = true;
	info->cpu_count = s->base.base.buffers[0].nr_cpus;
}

struct source *ctf_source_open(const struct source_start *start, struct ft_error *err)
{
	struct ctf_source *s = source_new(sizeof(*s), &ctf_ops, start);

	s->progress = start->progress;
	if (!ctf_helper_is_built()) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "is a folder, as CTF traces of LTTng are: this ftop-trace was built "
			     "without libbabeltrace2, which reads them; use one with it");
	} else if (!spool_begin(&s->base, SPOOL_MEMORY, err) && !read_folder(s, err)) {
		add_buffers(s);
		spool_end(&s->base);
		add_info(s);
		return &s->base.base;
	}
	source_close(&s->base.base);
	return NULL;
}

static void fini(struct source *source)
{
	struct ctf_source *s = (struct ctf_source *)source;

	spool_fini(&s->base);
	text_fini(&s->uname);
	text_fini(&s->writer);
	text_fini(&s->clock);
	text_fini(&s->failed);
	text_fini(&s->at_name);
	text_fini(&s->formats);
	for (unsigned int i = 0; i < s->nr_hosts; i++)
		free(s->hosts[i]);
	free(s->made);
	number_set_fini(&s->pids);
	free(s->tasks);
	free(s->names);
	arena_fini(&s->arena);
}

static void add_formats(const struct source *source, struct source_formats *formats)
{
	const struct ctf_source *s = const_ctf(source);

	for (unsigned int i = 0; i < s->nr_made; i++) {
		const struct ctf_format *made = &s->made[i];
		const char *texts = s->formats.data;

		source_add_format(formats, &(struct source_format){
			.system = texts + made->from, .own_name = texts + made->own_name,
			.text = texts + made->text, .size = made->len, .id = made->id,
			.lacks = made->lacks });
	}
}

/* --- texts ----------------------------------------------------------------------------------- */

/* "PID NAME" of each task's last name; "PID PROCESS" */
static void add_comms(const struct ctf_source *s, struct text *out)
{
	for (uint32_t i = 0; i < s->pids.nr; i++) {
		const struct source_name *name;

		if (!s->tasks[i].name)
			continue;
		name = &s->names[s->tasks[i].name - 1];
		text_printf(out, "%d %.*s\n", name->pid, (int)name->len, name->name);
	}
}

static void add_processes(const struct ctf_source *s, struct text *out)
{
	for (uint32_t i = 0; i < s->pids.nr; i++)
		if (s->tasks[i].process)
			text_printf(out, "%d %d\n", (int)s->pids.numbers[i], s->tasks[i].process);
}

static void find_text(const struct source *source, enum trace_text kind,
		      struct source_text_slot *slot)
{
	const struct ctf_source *s = const_ctf(source);
	struct text t = { 0 };

	if (kind == TRACE_TEXT_CMDLINES)
		add_comms(s, &t);
	else if (kind == TRACE_TEXT_TGIDS)
		add_processes(s, &t);
	else if (kind == TRACE_TEXT_PRIVATE)
		source_add_private(source, &t);
	source_text_take(slot, &t);
}

static const struct source_ops ctf_ops = {
	.form = "CTF",
	.stream_bytes = spool_stream_bytes,
	.read = spool_read,
	.formats = add_formats,
	.text = find_text,
	.sum = spool_sum,
	.fini = fini,
};
