/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/record_progress.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/memory.h"

void record_progress_fini(struct record_progress *p)
{
	text_fini(&p->file);
	text_fini(&p->part);
	text_fini(&p->notes);
	text_fini(&p->stopped_by);
	text_fini(&p->error);
	free(p->cpus);
	*p = (struct record_progress){ 0 };
}

static void take_cpus(struct record_progress *p, const struct json *object)
{
	struct json cpus, cpu;
	const char *next;

	if (!json_member(object, "per_cpu", &cpus))
		return;
	p->nr_cpus = 0;
	next = cpus.at;
	while (p->nr_cpus < RECORD_PROGRESS_MAX_CPUS && json_element(&cpus, &next, &cpu)) {
		struct record_cpu *one;

		mem_grow(&p->cpus, p->nr_cpus, &p->cap_cpus);
		one = &p->cpus[p->nr_cpus++];
		*one = (struct record_cpu){ 0 };
		json_get_number(&cpu, "cpu", &one->cpu);
		json_get_number(&cpu, "fill_percent", &one->fill_percent);
		json_get_number(&cpu, "events", &one->events);
		json_get_number(&cpu, "lost", &one->lost);
	}
}

static void take_counters(struct record_progress *p, const struct json *object)
{
	uint64_t time_ns = p->time_ns, cpu_ns = p->cpu_ns;

	json_get_number(object, "time_ns", &p->time_ns);
	json_get_number(object, "cpu_ns", &p->cpu_ns);
	if (p->time_ns > time_ns && p->cpu_ns >= cpu_ns)
		p->load_permille = (uint64_t)((double)(p->cpu_ns - cpu_ns) * 1000 /
					      (double)(p->time_ns - time_ns));
	json_get_number(object, "bytes", &p->bytes);
	json_get_number(object, "file_bytes", &p->file_bytes);
	json_get_number(object, "events", &p->events);
	json_get_number(object, "events_per_s", &p->events_per_s);
	json_get_number(object, "lost", &p->lost);
	json_get_number(object, "needs_kb", &p->needs_kb);
	json_get_number(object, "judged_ns_ago", &p->judged_ns_ago);
}

static void take_end(struct record_progress *p, const struct json *object)
{
	struct json value;

	p->phase = RECORD_ENDED;
	p->ok = json_member(object, "ok", &value) && json_true(&value);
	p->written = json_member(object, "written", &value) && json_true(&value);
	p->partial = json_member(object, "partial", &value) && json_true(&value);
	json_get_number(object, "command_status", &p->command_status);
	json_get_string(object, "file", &p->file);
	text_clear(&p->stopped_by);
	text_clear(&p->error);
	json_get_printable(object, "stopped_by", &p->stopped_by);
	json_get_printable(object, "error", &p->error);
}

void record_progress_line(struct record_progress *p, const char *line, size_t len)
{
	struct json object;

	if (!json_parse(line, len, &object))
		return;
	if (json_is(&object, "type", "begin")) {
		p->phase = RECORD_RUNS;
		json_get_number(&object, "pid", &p->pid);
		json_get_string(&object, "file", &p->file);
		json_get_string(&object, "part", &p->part);
	} else if (json_is(&object, "type", "status")) {
		take_counters(p, &object);
		take_cpus(p, &object);
	} else if (json_is(&object, "type", "note")) {
		json_get_printable(&object, "text", &p->notes);
		text_char(&p->notes, '\n');
	} else if (json_is(&object, "type", "stopped")) {
		p->phase = RECORD_STOPS;
	} else if (json_is(&object, "type", "packing")) {
		json_get_number(&object, "done_bytes", &p->packed_bytes);
		json_get_number(&object, "total_bytes", &p->to_pack_bytes);
	} else if (json_is(&object, "type", "end")) {
		take_counters(p, &object);
		take_end(p, &object);
	}
}
