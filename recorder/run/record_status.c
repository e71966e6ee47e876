/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_status - counters of a recording, and their output: status line, status stream, summary.
 */
#include "recorder/run/record_state.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/json_out.h"
#include "src/base/text.h"
#include "src/base/workers.h"
#include "src/recording/recording_words.h"

#define PACKING_TELL_NS		200000000u
#define WAIT_FOR_COMMAND_MS	500
#define JUDGED_LATE		20	/* tenths of a second; it looks for news every 0.4 s */

/* --- counters --------------------------------------------------------------------------------- */

/*
 * The smallest -b, in KiB, that would have held the data of the CPU that lost most; 0 = nothing was
 * lost.
 */
static uint64_t size_that_holds(const struct recording *r)
{
	unsigned int nr = r->plan->nr_cpus;
	uint64_t best = 0;

	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		const struct instance_stats *s = &r->stats[i];
		uint64_t kept = s->read + s->entries, kb, rounded = 1024;

		if (!r->streams[i] || !s->lost)
			continue;
		kb = instance_size_kb(&r->instances[i / nr]);
		kb += (uint64_t)((double)kb * (double)s->lost / (double)(kept ? kept : 1));
		while (rounded < kb)
			rounded *= 2;
		if (rounded > best)
			best = rounded;
	}
	return best;
}

void record_read_stats(struct recording *r)
{
	unsigned int nr = r->plan->nr_cpus;

	r->result->events = r->result->lost = 0;
	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		if (!r->streams[i])
			continue;
		instance_read_stats(&r->instances[i / nr], (int)(i % nr), &r->stats[i]);
		r->result->events += r->stats[i].read + r->stats[i].entries;
		r->result->lost += r->stats[i].lost;
	}
	r->result->bytes = output_bytes(r->output);
	r->result->needs_kb = size_that_holds(r);
}

/* While it runs: read the counters, and compute the rate since the last call. */
void record_count(struct recording *r)
{
	uint64_t before = r->rate_events, now = record_now_ns(CLOCK_MONOTONIC);
	uint64_t ns = now - (r->rate_ns ? r->rate_ns : r->started_ns);

	record_read_stats(r);
	r->rate_events = r->result->events;
	r->rate_ns = now;
	r->result->duration_ns = now - r->started_ns;
	r->events_per_s = ns && r->rate_events > before ?
				  (uint64_t)((double)(r->rate_events - before) * 1e9 / (double)ns) :
				  0;
}

/* --- the status line -------------------------------------------------------------------------- */

static void add_fill(const struct recording *r, struct text *t)
{
	unsigned int nr = r->plan->nr_cpus, shown = 0, worst = 0, worst_cpu = 0;

	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		uint64_t size = r->streams[i] ? instance_size_kb(&r->instances[i / nr]) << 10 : 0;
		unsigned int percent = size ? (unsigned int)(r->stats[i].bytes * 100 / size) : 0;

		if (!size)
			continue;
		if (percent >= worst) {
			worst = percent;
			worst_cpu = (unsigned int)(i % nr);
		}
		if (nr <= 4 && i < nr) {
			text_printf(t, "  CPU %u %u %%", (unsigned int)i, percent);
			shown++;
		}
	}
	if (!shown)
		text_printf(t, "  fullest: CPU %u %u %%", worst_cpu, worst);
}

static void add_lost(const struct recording *r, struct text *t)
{
	text_add(t, "  lost ");
	text_count(t, r->result->lost);
	if (r->result->needs_kb)
		text_printf(t, ": -b %" PRIu64 "M would hold them", r->result->needs_kb >> 10);
}

/* Age of the newest event that --until has judged; 0: not known, or nothing to judge. */
static uint64_t judged_ns_ago(const struct recording *r)
{
	int64_t ago = r->judge.judged ? workers_now_ns() - r->judge.judged : 0;

	return ago > 0 ? (uint64_t)ago : 0;
}

static void add_judged(const struct recording *r, struct text *t)
{
	uint64_t tenths = judged_ns_ago(r) / 100000000;

	if (tenths >= JUDGED_LATE)
		text_printf(t, "  judged up to %" PRIu64 ".%" PRIu64 " s ago", tenths / 10,
			    tenths % 10);
}

static void add_status(struct recording *r, struct text *t)
{
	uint64_t ns = r->result->duration_ns;

	text_printf(t, "rec %02" PRIu64 ":%02" PRIu64 "  ", ns / 1000000000 / 60,
		    ns / 1000000000 % 60);
	recording_size(r->result->bytes, t);
	text_add(t, "  ");
	text_count(t, r->events_per_s);
	text_add(t, "/s");
	/* on a narrow terminal the end is cut off */
	add_lost(r, t);
	add_judged(r, t);
	add_fill(r, t);
}

/*
 * If the command writes to the terminal as well, a status line would mix with its output: show
 * plain lines then.
 */
bool record_has_terminal(const struct recording *r)
{
	return isatty(STDERR_FILENO) && !r->plan->command;
}

/* Does stderr take a line without waiting?  A terminal may be stopped, and a pipe full. */
static bool record_stderr_takes(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&ready, 1, 0) > 0;
}

void record_say_begin(const struct recording *r)
{
	const bool by_hand = isatty(STDERR_FILENO) && !r->plan->command;
	const struct name_list *until = &r->plan->until;
	struct text t = { 0 };

	for (size_t i = 0; i < until->nr; i++) {
		text_add(&t, i ? " || " : " until ");
		text_printable(&t, until->names[i], strlen(until->names[i]));
	}
	if ((by_hand || until->nr) && record_stderr_takes())
		fprintf(stderr, "ftop-trace: recording%s%s\n", text_str(&t),
			by_hand ? "; Ctrl-C stops it" : "");
	text_fini(&t);
}

void record_status(struct recording *r)
{
	struct text t = { 0 };
	struct winsize size;

	if (!record_stderr_takes())
		return;
	add_status(r, &t);
	if (record_has_terminal(r)) {
		if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 &&
		    t.len >= size.ws_col)
			t.data[size.ws_col - 1] = '\0';
		fprintf(stderr, "\r%s\033[K", text_str(&t));
		r->status_shown = true;
	} else {
		fprintf(stderr, "ftop-trace: %s\n", text_str(&t));
	}
	fflush(stderr);
	text_fini(&t);
}

void record_status_end(struct recording *r)
{
	if (r->status_shown && record_stderr_takes())
		fputc('\n', stderr);
	r->status_shown = false;
}

/* --- the status stream ------------------------------------------------------------------------ */

void record_tell_begin(struct recording *r)
{
	const struct record_plan *plan = r->plan;
	struct text t = { 0 };

	json_out_string(&t, "type", "begin");
	json_out_string(&t, "file", plan->output);
	json_out_string(&t, "part", output_part_name(r->output));
	json_out_u64(&t, "pid", (uint64_t)getpid());
	json_out_u64(&t, "cpus", plan->nr_cpus);
	json_out_array(&t, "buffers");
	for (size_t b = 0; b < plan->nr_buffers; b++) {
		if (!r->instances[b].name)
			continue;
		json_out_object(&t, NULL);
		json_out_string(&t, "name", plan->buffers[b].name);
		json_out_string(&t, "instance", r->instances[b].name);
		json_out_u64(&t, "size_kb", instance_size_kb(&r->instances[b]));
		json_out_end(&t, '}');
	}
	json_out_end(&t, ']');
	status_stream_line(r->status, &t, true);
	text_fini(&t);
}

static void add_cpu(const struct recording *r, size_t i, uint64_t size_bytes, struct text *t)
{
	const struct instance_stats *s = &r->stats[i];

	json_out_string(t, "buffer", r->plan->buffers[i / r->plan->nr_cpus].name);
	json_out_u64(t, "cpu", i % r->plan->nr_cpus);
	json_out_u64(t, "fill_percent", size_bytes ? s->bytes * 100 / size_bytes : 0);
	json_out_u64(t, "events", s->read + s->entries);
	json_out_u64(t, "lost", s->lost);
}

/* What the recorder has used so far, all its threads. */
static uint64_t cpu_time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void record_tell_status(struct recording *r)
{
	const struct record_result *result = r->result;
	unsigned int nr = r->plan->nr_cpus;
	struct text t = { 0 };
	uint64_t size_bytes = 0;

	if (!r->status)
		return;
	json_out_string(&t, "type", "status");
	json_out_u64(&t, "time_ns", result->duration_ns);
	json_out_u64(&t, "bytes", result->bytes);
	json_out_u64(&t, "events", result->events);
	json_out_u64(&t, "events_per_s", r->events_per_s);
	json_out_u64(&t, "lost", result->lost);
	json_out_u64(&t, "needs_kb", result->needs_kb);
	json_out_u64(&t, "cpu_ns", cpu_time_ns());
	json_out_u64(&t, "judged_ns_ago", judged_ns_ago(r));
	json_out_array(&t, "per_cpu");
	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		if (i % nr == 0)
			size_bytes = r->instances[i / nr].name ?
					     instance_size_kb(&r->instances[i / nr]) << 10 :
					     0;
		if (!r->streams[i])
			continue;
		json_out_object(&t, NULL);
		add_cpu(r, i, size_bytes, &t);
		json_out_end(&t, '}');
	}
	json_out_end(&t, ']');
	status_stream_line(r->status, &t, false);
	text_fini(&t);
}

void record_tell_stopped(struct recording *r)
{
	if (r->started_ns)
		status_stream_say(r->status, "stopped", "by", r->result->stopped_by);
}

bool record_tell_packing(void *recording, uint64_t done, uint64_t total)
{
	struct recording *r = recording;
	uint64_t now = record_now_ns(CLOCK_MONOTONIC);
	struct text t = { 0 };

	if (r->plan->compression != TRACE_PLAIN && !r->latency)
		r->left_unpacked = atomic_load(&r->stop_packing);
	if (r->left_unpacked)
		return true;
	if (now - r->packing_told_ns < PACKING_TELL_NS)
		return false;
	r->packing_told_ns = now;
	json_out_string(&t, "type", "packing");
	json_out_u64(&t, "done_bytes", done);
	json_out_u64(&t, "total_bytes", total);
	status_stream_line(r->status, &t, false);
	text_fini(&t);
	if (!r->plan->quiet && !r->status && isatty(STDERR_FILENO) && record_stderr_takes()) {
		fprintf(stderr, "\rpacking %u %%\033[K",
			total ? (unsigned int)(done * 100 / total) : 100);
		fflush(stderr);
		r->status_shown = true;
	}
	return false;
}

/* 0: there is no such file. */
static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

void record_tell_end(struct status_stream *status, const struct record_plan *plan,
		     const struct record_result *result, bool ok, const char *error)
{
	struct text t = { 0 };

	if (!status)
		return;
	json_out_string(&t, "type", "end");
	json_out_bool(&t, "ok", ok);
	json_out_bool(&t, "written", result->written);
	json_out_bool(&t, "partial", result->partial);
	json_out_string(&t, "file", plan->output);
	json_out_u64(&t, "time_ns", result->duration_ns);
	json_out_u64(&t, "bytes", result->bytes);
	json_out_u64(&t, "file_bytes", file_bytes(plan->output));
	json_out_u64(&t, "events", result->events);
	json_out_u64(&t, "lost", result->lost);
	json_out_u64(&t, "needs_kb", result->needs_kb);
	json_out_string(&t, "stopped_by", result->stopped_by);
	json_out_u64(&t, "command_status", (uint64_t)result->command_status);
	json_out_string(&t, "error", ok ? "" : error);
	status_stream_line(status, &t, true);
	text_fini(&t);
}

/* --- the summary ------------------------------------------------------------------------------ */

static void add_maximum(const struct recording *r, struct text *t)
{
	if (!r->has_max) {
		text_add(t, "no maximum");
		return;
	}
	text_count(t, r->max.latency_us);
	text_printf(t, " µs at most, on CPU %d, ", r->max.cpu);
	text_counted(t, r->max.nr, "record");
	text_char(t, ',');
}

/* Losses are reported even without a summary. */
static void add_losses(struct recording *r)
{
	struct text *t = &r->result->losses;
	unsigned int nr = r->plan->nr_cpus, told = 0;

	if (!r->result->lost)
		return;
	text_counted(t, r->result->lost, "event");
	text_add(t, r->result->lost == 1 ? " was lost:" : " were lost:");
	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		const char *buffer = r->plan->buffers[i / nr].name;

		if (!r->stats[i].lost)
			continue;
		text_add(t, told++ ? ", " : " ");
		text_count(t, r->stats[i].lost);
		text_printf(t, " on CPU %zu%s%s", i % nr, *buffer ? " of buffer " : "", buffer);
	}
	text_printf(t, "; -b %" PRIu64 "M would have held them\n", r->result->needs_kb >> 10);
}

void record_summary_size(struct recording *r)
{
	struct text *t = &r->result->summary, before = { 0 };
	size_t len = t->len;

	text_printf(&before, "%s: ", r->plan->output);
	if (!r->latency)
		recording_rest(r->result->bytes, file_bytes(r->plan->output), text_str(&before), t);
	if (t->len > len)
		text_char(t, '\n');
	text_fini(&before);
}

void record_summary(struct recording *r)
{
	enum recording_kept kept = !r->result->partial       ? RECORDING_WHOLE :
				   output_gave_up(r->output) ? RECORDING_NEWEST :
							       RECORDING_PART;
	struct text *t = &r->result->summary;
	char result[64];

	/* the signal that ended the recording was passed on to the command */
	command_wait(&r->command, r->result->told_to_end ? WAIT_FOR_COMMAND_MS : 0);
	text_printf(t, "%s: ", r->plan->output);
	if (r->latency) {
		add_maximum(r, t);
	} else {
		recording_events(r->result->events, r->result->bytes, kept, t);
	}
	text_printf(t, " in %.1f s", (double)r->result->duration_ns / 1e9);
	if (r->result->stopped_by[0])
		text_printf(t, "; stopped by %s", r->result->stopped_by);
	text_char(t, '\n');
	if (r->latency && output_bytes(r->output))
		text_printf(t, "%s: the records of the maximum, as a trace\n",
			    output_max_name(r->output));
	if (r->plan->command && *command_result(&r->command, result, sizeof(result)))
		text_printf(t, "%s %s\n", r->plan->command[0], result);
	if (r->stack.len)
		text_printf(t, "the deepest kernel stack:\n%s", text_str(&r->stack));
	add_losses(r);
}
