/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/judge.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/json_out.h"
#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/base/paths.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/cut/cut.h"
#include "src/sandbox/broker.h"
#include "src/sched/sched_pass.h"
#include "src/trace/trace_hits.h"
#include "src/until/until.h"

#define LOOK_MS		50		/* looks for what was recorded */
#define LINGER_NS	100000000	/* the default */
#define SHARE		4		/* a pass takes at most one part of so many of the time */
#define PASS_NS		400000000	/* at least, from the beginning of one to the next */
#define ALL_SHARE	16		/* the same of a pass over all that the ring holds */
#define ALL_NS		2000000000
#define CONDITION_BYTES	200u		/* of a condition, in the line of a hit */
#define DOUBT_BYTES	900		/* the recorder takes lines of up to 1023 */

struct judge {
	const struct judge_options *options;
	struct broker	*broker;
	int		 fd;
	struct text	 line;		/* a part of one from the recorder */
	struct text	 without;	/* see until_recorded */
	struct until_recorded recorded;
	bool		 ready, drained, written, gone;
	struct until	*until;
	struct trace	*trace;
	int64_t		 next_ns;	/* monotonic: not before the next pass */
	int64_t		 least_gap;	/* from the settled time, when it was seen, to the
					 * monotonic one; INT64_MAX: not known */
	int64_t		 all_ns;	/* the same of one over all that the ring holds */
	int64_t		 judged;	/* ts: what is settled before it was judged */
	unsigned int	 told, done;	/* hits: of which the recorder knows; that are dealt with */
	unsigned int	 unwritten;	/* of those, without a file of their own */
	bool		 stopped;	/* the recorder was told */
};

/* --- words ------------------------------------------------------------------------------------ */

static void tell(struct judge *j, const struct text *line)
{
	for (size_t done = 0; done < line->len;) {
		ssize_t put = send(j->fd, line->data + done, line->len - done, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		j->gone |= put < 0;
		if (put < 0)
			return;
		done += (size_t)put;
	}
}

static void tell_word(struct judge *j, const char *word)
{
	struct text line = { 0 };

	text_printf(&line, "%s\n", word);
	tell(j, &line);
	text_fini(&line);
}

static void take_line(struct judge *j, const char *line)
{
	if (!strncmp(line, "without ", 8)) {
		text_add(&j->without, line + 8);
		j->recorded.without = text_str(&j->without);
	}
	j->recorded.calls |= !strcmp(line, "tracer function_graph");
	j->recorded.functions |= !strcmp(line, "tracer function");
	j->recorded.blk |= !strcmp(line, "tracer blk");
	j->recorded.stacks |= !strcmp(line, "stacks");
	j->recorded.partly |= !strcmp(line, "partly");
	j->ready |= !strcmp(line, "ready");
	j->drained |= !strcmp(line, "drained");
	j->written |= !strcmp(line, JUDGE_WRITTEN);
}

/* Take what the recorder says.  Waits at most @ms for it; -1: as long as it takes. */
static void listen_to(struct judge *j, int ms)
{
	struct pollfd ready = { .fd = j->fd, .events = POLLIN };
	char bytes[512];
	ssize_t got;

	if (poll(&ready, 1, ms) <= 0)
		return;
	got = recv(j->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	j->gone |= got <= 0;
	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] != '\n') {
			text_char(&j->line, bytes[i]);
			continue;
		}
		take_line(j, text_str(&j->line));
		text_clear(&j->line);
	}
}

static int64_t linger_ns(const struct judge *j)
{
	return (int64_t)(j->options->linger_ns ?: LINGER_NS);
}

/* --- before it begins ------------------------------------------------------------------------- */

static int add_conditions(struct until *until, const struct judge_options *options,
			  struct ft_error *err)
{
	for (unsigned int i = 0; i < options->nr_conditions; i++)
		if (until_add(until, options->conditions[i], err))
			return -1;
	return 0;
}

int judge_check(const struct judge_options *options, struct ft_error *err)
{
	struct until *until = until_new();
	int ret = add_conditions(until, options, err);

	until_free(until);
	return ret;
}

static int open_part(struct judge *j, struct ft_error *err)
{
	const struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					       .follow = true, .filter_names = derived_names };
	struct text path = { 0 };
	const char *paths[1];

	output_name_add(OUTPUT_PART, j->options->output, 0, &path);
	paths[0] = text_str(&path);
	j->trace = trace_open(paths, 1, true, &options, err);
	text_fini(&path);
	return j->trace ? 0 : -1;
}

static void refuse(struct judge *j, const struct ft_error *err)
{
	struct text words = { 0 };
	const char *s = err->message;

	for (size_t len; *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		text_printf(&words, "no %.*s\n", (int)len, s);
	}
	text_add(&words, "refuse\n");
	tell(j, &words);
	text_fini(&words);
}

/* What this process does is not to be recorded. */
static void tell_go(struct judge *j)
{
	DIR *tasks = opendir("/proc/self/task");
	struct text words = { 0 };

	for (const struct dirent *d = tasks ? readdir(tasks) : NULL; d; d = readdir(tasks))
		if (d->d_name[0] != '.')
			text_printf(&words, "tid %s\n", d->d_name);
	if (tasks)
		closedir(tasks);
	text_add(&words, "go\n");
	tell(j, &words);
	text_fini(&words);
}

static int begin(struct judge *j, struct ft_error *err)
{
	char pairs[4096];

	j->until = until_new();
	j->recorded.keep_ns = j->options->keep_ns;
	if (add_conditions(j->until, j->options, err))
		return -1;
	if (j->options->split)
		until_cover(j->until, linger_ns(j));
	return open_part(j, err) || until_bind(j->until, j->trace,
					       paths_config("pairs", pairs, sizeof(pairs)),
					       &j->recorded, err) ?
		       -1 :
		       0;
}

/* --- hits ------------------------------------------------------------------------------------- */

/* ", and 12 more hits within 3 s" */
static void add_more(const struct judge *j, unsigned int more, struct text *out)
{
	struct text span = { 0 };

	if (!more)
		return;
	text_duration(&span, (uint64_t)linger_ns(j));
	text_printf(out, ", and %s%u more hit%s within ", more < UNTIL_MOST_MORE ? "" : "at least ",
		    more, PLURAL(more));
	text_trimmed(out, &span);
	text_fini(&span);
}

/* @words: receives those of the hit. */
static struct trace_hit hit_of(const struct judge *j, const struct until_hit *hit,
			       struct text *words)
{
	const char *condition = until_text(j->until, hit->condition);
	size_t len = strlen(condition);

	text_add(words, hit->words);
	add_more(j, hit->more, words);
	return (struct trace_hit){
		.from = hit->from, .to = hit->to,
		.waits = hit->waits,
		.condition = condition,
		.condition_len = len < CONDITION_BYTES ? (unsigned int)len : CONDITION_BYTES,
		.words = text_str(words),
		.words_len = (unsigned int)words->len,
	};
}

/* The lines of the first @nr hits. */
static void add_lines(const struct judge *j, unsigned int from, unsigned int to, const char *before,
		      struct text *out)
{
	unsigned int nr;
	const struct until_hit *hits = until_hits(j->until, &nr);

	for (unsigned int i = from; i < to; i++) {
		struct text words = { 0 };
		const struct trace_hit hit = hit_of(j, &hits[i], &words);

		text_add(out, before);
		trace_hit_line(j->trace, &hit, out);
		text_fini(&words);
	}
}

static void complain(const struct ft_error *err)
{
	struct text shown = { 0 };

	text_printable(&shown, err->message, strlen(err->message));
	fprintf(stderr, "ftop-trace: %s\n", text_str(&shown));
	text_fini(&shown);
}

/* How long after the hit the recording is still of interest. */
static int64_t until_ts(const struct judge *j, const struct until_hit *hit)
{
	return time_after(hit->to, linger_ns(j));
}

static void run_command(struct judge *j, unsigned int i, const char *file)
{
	unsigned int nr;
	const struct until_hit *hit = &until_hits(j->until, &nr)[i];
	struct ft_error err = { .offset = -1 };
	struct text json = { 0 };

	if (!j->options->on_hit)
		return;
	json_out_object(&json, NULL);
	json_out_string(&json, "file", file);
	json_out_u64(&json, "hit", i + 1);
	json_out_string(&json, "condition", until_text(j->until, hit->condition));
	json_out_i64(&json, "from_ns", hit->from);
	json_out_i64(&json, "to_ns", hit->to);
	json_out_bool(&json, "open", hit->open);
	json_out_string(&json, "what", hit->words);
	json_out_end_line(&json);
	if (broker_on_hit(j->broker, file, text_str(&json), &err))
		complain(&err);
	text_fini(&json);
}

/* What the ring holds, up to the end of the hit and what lingers, as a file of its own. */
static int write_ring(struct judge *j, unsigned int i, const char *name, struct ft_error *err)
{
	unsigned int nr;
	const struct until_hit *hit = &until_hits(j->until, &nr)[i];
	struct text words = { 0 }, lines = { 0 };
	struct cut_options options = { .range = { true, INT64_MIN, until_ts(j, hit) } };
	struct cut *cut;
	uint64_t events;
	int ret = -1, fd = broker_begin_file(j->broker, name, err);

	if (fd < 0)
		return -1;
	text_add(&words, "--to=");
	trace_time_text(j->trace, options.range.to, 9, &words);
	add_lines(j, i, i + 1, "", &lines);
	options.words = text_str(&words);
	options.name = name;
	options.hits = text_str(&lines);
	cut = cut_new(j->trace, &options, fd, err);
	if (cut)
		ret = cut_finish(cut, &events, err);
	cut_free(cut);
	text_fini(&words);
	text_fini(&lines);
	return broker_end_files(j->broker, !ret, ret ? NULL : err) ? -1 : ret;
}

static void split(struct judge *j, unsigned int i)
{
	struct ft_error err = { .offset = -1 };
	struct text name = { 0 };

	output_name_add(OUTPUT_NUMBER, j->options->output, i + 1, &name);
	if (!write_ring(j, i, text_str(&name), &err))
		run_command(j, i, text_str(&name));
	else if (!j->unwritten++)	/* on a full disk, it is the same for all that follow */
		complain(&err);
	text_fini(&name);
}

static void tell_hits(struct judge *j, unsigned int nr)
{
	struct text lines = { 0 };

	add_lines(j, j->told, nr, "hit ", &lines);
	tell(j, &lines);
	text_fini(&lines);
	j->told = nr;
}

/*
 * Deal with those that have what lingers.  The recorder is told of new ones; of files when they are
 * written, since others may still come into them.
 */
static void act(struct judge *j)
{
	unsigned int nr;
	const struct until_hit *hits = until_hits(j->until, &nr);

	while (j->done < nr &&
	       (j->drained || (j->options->split ? j->judged : trace_end(j->trace)) >
				      until_ts(j, &hits[j->done])))
		if (j->options->split)
			split(j, j->done++);
		else
			j->done++;
	tell_hits(j, j->options->split ? j->done : nr);
	if (j->done >= j->options->hits && !j->stopped) {
		tell_word(j, "stop");
		j->stopped = true;
	}
}

/* --- while it is recorded --------------------------------------------------------------------- */

static int64_t gap(const struct judge *j)
{
	return time_between(trace_end(j->trace), workers_now_ns());
}

static bool grow(struct judge *j)
{
	if (trace_grow(j->trace) != TRACE_GREW)
		return false;
	if (trace_grows(j->trace) && trace_unit(j->trace) == TRACE_UNIT_NS && gap(j) < j->least_gap)
		j->least_gap = gap(j);
	return true;
}

/* How long ago was recorded what is judged. */
static void tell_judged(struct judge *j)
{
	struct text line = { 0 };
	unsigned int nr;

	until_hits(j->until, &nr);
	if (nr >= j->options->hits)
		text_add(&line, "judged nothing\n");
	else if (j->least_gap != INT64_MAX)
		text_printf(&line, "judged %" PRId64 "\n", gap(j) - j->least_gap);
	tell(j, &line);
	text_fini(&line);
}

/* When the next pass may begin, after one from @began to now. */
static int64_t after_pass(int64_t began, int64_t share, int64_t least)
{
	int64_t ended = workers_now_ns(), next = ended + (share - 1) * (ended - began);

	return next < began + least ? began + least : next;
}

/* @all: also what was judged before, of which a name may be known since. */
static int pass(struct judge *j, bool all, struct ft_error *err)
{
	int64_t began = workers_now_ns();
	int ret = until_judge(j->until, j->trace, j->options->hits, all, err);

	if (all || !until_needs_all(j->until))
		j->judged = trace_end(j->trace);

	/* what is new does not wait for what a look at the old has cost */
	j->next_ns = after_pass(began, all ? 1 : SHARE, PASS_NS);
	if (all)
		j->all_ns = after_pass(began, until_needs_all(j->until) ? SHARE : ALL_SHARE,
				       ALL_NS);
	return ret;
}

/* There was no hit: what may have been one? */
static void tell_doubts(struct judge *j)
{
	struct text absent = { 0 }, doubts = { 0 }, line = { 0 };
	uint64_t nr = until_needs_switches(j->until) ? sched_count_missing(j->trace, &absent) : 0;

	until_doubts(j->until, &doubts);
	text_printf(&line, "doubt %.*s", DOUBT_BYTES,
		    doubts.len ? text_str(&doubts) : "it did not happen");
	if (nr)
		text_printf(&line, "; at least %" PRIu64 " switches are missing", nr);
	text_char(&line, '\n');
	tell(j, &line);
	text_fini(&doubts);
	text_fini(&absent);
	text_fini(&line);
}

/* Until there is nothing left to settle. */
static void grow_to_end(struct judge *j)
{
	enum trace_growth growth;

	do {
		growth = trace_grow(j->trace);
		if (growth == TRACE_INDEXES)
			listen_to(j, LOOK_MS);
	} while ((growth == TRACE_GREW || growth == TRACE_INDEXES) && !j->gone);
}

/* May others come into the file of a hit? */
static bool has_open_file(const struct judge *j, unsigned int nr)
{
	return j->options->split && j->done < nr;
}

static int follow(struct judge *j, struct ft_error *err)
{
	bool news = false;
	unsigned int nr;

	while (!j->gone && !j->drained) {
		listen_to(j, LOOK_MS);
		news |= grow(j);
		until_hits(j->until, &nr);
		if (news && !j->drained && (nr < j->options->hits || has_open_file(j, nr)) &&
		    workers_now_ns() >= j->next_ns) {
			bool all = workers_now_ns() >= j->all_ns;

			if (pass(j, all, err))
				return -1;
			if (all || !until_needs_all(j->until))
				tell_judged(j);
			news = false;
		}
		act(j);
	}
	if (j->gone)
		return 0;
	grow_to_end(j);
	if (pass(j, true, err))
		return -1;
	until_hits(j->until, &nr);
	if (!nr)
		tell_doubts(j);
	act(j);
	return 0;
}

static void judge(struct judge *j)
{
	struct ft_error err = { .offset = -1 };

	while (!j->ready && !j->gone)
		listen_to(j, -1);
	if (j->gone)
		return;
	if (begin(j, &err)) {
		refuse(j, &err);
		return;
	}
	tell_go(j);
	if (follow(j, &err)) {
		complain(&err);
		return;
	}
	if (j->unwritten > 1)
		fprintf(stderr, "ftop-trace: --split: %u of %u hits have no file\n", j->unwritten,
			j->done);
	tell_word(j, "done");
	while (!j->gone && !j->written)
		listen_to(j, -1);
	for (unsigned int i = 0; j->written && !j->options->split && i < j->done; i++)
		run_command(j, i, j->options->output);
}

void judge_run(const struct judge_options *options, struct broker *broker, int fd)
{
	struct judge j = { .options = options, .broker = broker, .fd = fd, .least_gap = INT64_MAX,
			   .judged = INT64_MIN };

	judge(&j);
	until_free(j.until);
	trace_close(j.trace);
	text_fini(&j.line);
	text_fini(&j.without);
	close(fd);
}
