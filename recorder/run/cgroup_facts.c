/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/cgroup_facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

#define MOUNTS_BYTES	(1u << 20)
#define CGROUPS_MAX	100000u
#define STATES_MAX	1000000u	/* some 100 bytes each in the file */
#define V1_SHARES	1024		/* cpu.shares of a new group of v1, a weight of 100 in v2 */

/* -1: not known. */
struct cgroup_state {
	uint32_t	fact;		/* whose */
	uint64_t	at;		/* census_clock's time, when cpu.stat was read */
	int64_t		quota_us, period_us;	/* quota 0: no limit */
	int64_t		weight;
	int64_t		usage_us, periods, throttled, throttled_us;
	uint64_t	id;		/* the kernel's number of the group, in the first one */
};

struct cgroup_fact {
	uint32_t	name;		/* a string of the census */
	uint32_t	last;		/* its last state */
	char		*folder;	/* owned */
	bool		is_threaded;
};

/* Is it a word of a list, with commas in between? */
static bool has_word(const char *list, size_t len, const char *word)
{
	for (size_t n; len; list += n, len -= n) {
		n = 0;
		while (n < len && list[n] != ',')
			n++;
		if (n == strlen(word) && !strncmp(list, word, n))
			return true;
		n += n < len;
	}
	return false;
}

/* A line "NUMBER:CONTROLLERS:PATH" of /proc/PID/cgroup. */
struct cgroup_line {
	int		hierarchy;	/* 0: cgroup v2, which names no controllers */
	bool		is_cpu;
	const char	*path;
	size_t		len;		/* of the path */
};

static bool take_line(const char **text, struct cgroup_line *line)
{
	const char *list = strchr(*text, ':'), *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return false;
	*line = (struct cgroup_line){ .hierarchy = atoi(*text), .path = path + 1,
				      .len = strcspn(path + 1, "\n") };
	line->is_cpu = has_word(list + 1, (size_t)(path - list) - 1, "cpu");
	*text = line->path + line->len;
	*text += **text == '\n';
	return true;
}

/* That of the CPU controller: in v1, if it is there, else v2's; zeroed: neither is there. */
static struct cgroup_line cpu_line(const char *text)
{
	struct cgroup_line line, found = { 0 };

	while (!found.is_cpu && take_line(&text, &line))
		if (line.is_cpu || !line.hierarchy)
			found = line;
	return found;
}

int cgroup_facts_hierarchy(const char *text)
{
	return cpu_line(text).hierarchy;
}

const char *cgroup_facts_path(const char *text, size_t *len)
{
	struct cgroup_line cpu = cpu_line(text), line;
	const char *found = NULL;
	bool has_v1 = false;

	if (cpu.len == 1)
		cpu.len = 0;
	*len = 0;
	while (take_line(&text, &line)) {
		has_v1 |= line.hierarchy != 0;
		if (line.len < cpu.len || strncmp(line.path, cpu.path ?: "", cpu.len) ||
		    (cpu.len && line.len > cpu.len && line.path[cpu.len] != '/'))
			continue;
		if (!found || line.len > *len) {
			found = line.path;
			*len = line.len;
		}
	}
	return has_v1 && *len <= 1 ? NULL : found;
}

/*
 * Where the CPU controller is mounted whole: "36 25 0:31 / /sys/fs/cgroup rw,… - cgroup2 …", or, of
 * v1, "… - cgroup cgroup rw,cpu,cpuacct".
 */
static void find_mount(struct cgroup_facts *facts)
{
	struct text mounts = { 0 };
	char *save = NULL;

	if (!small_file_read("/proc/self/mountinfo", MOUNTS_BYTES, &mounts, NULL) && mounts.len)
		for (char *line = strtok_r(mounts.data, "\n", &save); line && !facts->is_v1;
		     line = strtok_r(NULL, "\n", &save)) {
			char root[PATH_MAX], path[PATH_MAX];
			const char *form = strstr(line, " - cgroup"), *last = strrchr(line, ' ');
			bool is_v1 = form && !strncmp(form, " - cgroup ", 10) &&
				     has_word(last + 1, strlen(last + 1), "cpu");

			if (form && (is_v1 || !strncmp(form, " - cgroup2 ", 11)) &&
			    sscanf(line, "%*s %*s %*s %4095s %4095s", root, path) == 2 &&
			    !strcmp(root, "/")) {
				free(facts->mount);
				facts->mount = mem_strdup(path);
				facts->is_v1 = is_v1;
			}
		}
	text_fini(&mounts);
	if (!facts->mount)
		facts->mount = mem_strdup("");
}

static bool read_file(const char *folder, const char *name, char *text, size_t size)
{
	char path[2 * PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return tracefs_dir_read_into(AT_FDCWD, path, text, size);
}

/* The number of a line "NAME NUMBER". */
static int64_t counter(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoll(line + len, NULL, 10);
	}
	return -1;
}

static int64_t number_in(const char *folder, const char *name)
{
	char text[64];

	return read_file(folder, name, text, sizeof(text)) ? strtoll(text, NULL, 10) : -1;
}

/* "QUOTA PERIOD", or "max PERIOD" */
static void read_limit(const char *folder, bool is_v1, struct cgroup_state *state)
{
	char text[128], *period;

	if (is_v1) {
		state->period_us = number_in(folder, "cpu.cfs_period_us");
		state->quota_us = number_in(folder, "cpu.cfs_quota_us");
		if (state->quota_us < 0 && state->period_us >= 0)
			state->quota_us = 0;
	} else if (read_file(folder, "cpu.max", text, sizeof(text))) {
		period = strchr(text, ' ');
		state->quota_us = !strncmp(text, "max", 3) ? 0 : strtoll(text, NULL, 10);
		state->period_us = period ? strtoll(period, NULL, 10) : -1;
	}
}

static struct cgroup_state read_state(const struct cgroup_facts *facts, uint32_t fact,
				      const struct census_clock *clock)
{
	const char *folder = facts->facts[fact].folder;
	struct cgroup_state state = { .fact = fact, .quota_us = -1, .period_us = -1 };
	char text[4096];

	read_file(folder, "cpu.stat", text, sizeof(text));
	state.at = census_clock_now(clock);
	state.usage_us = counter(text, "usage_usec");
	state.periods = counter(text, "nr_periods");
	state.throttled = counter(text, "nr_throttled");
	state.throttled_us = counter(text, "throttled_usec");
	if (facts->is_v1) {
		state.throttled_us = counter(text, "throttled_time");
		if (state.throttled_us > 0)
			state.throttled_us /= 1000;
	}
	read_limit(folder, facts->is_v1, &state);
	state.weight = number_in(folder, facts->is_v1 ? "cpu.shares" : "cpu.weight");
	if (facts->is_v1 && state.weight >= 0)
		state.weight = state.weight * 100 / V1_SHARES;
	return state;
}

static void add_state(struct cgroup_facts *facts, const struct cgroup_state *state)
{
	if (facts->nr_states == STATES_MAX)
		return;
	mem_grow(&facts->states, facts->nr_states, &facts->cap_states);
	facts->facts[state->fact].last = facts->nr_states;
	facts->states[facts->nr_states++] = *state;
}

bool cgroup_facts_see(struct cgroup_facts *facts, struct census_strings *strings, uint32_t cgroup,
		      const struct census_clock *clock)
{
	char path[PATH_MAX], folder[2 * PATH_MAX], type[64];
	struct cgroup_fact fact = { .name = cgroup };
	struct cgroup_state state;
	struct stat st;
	const char *bytes;
	size_t len;

	for (uint32_t i = 0; i < facts->nr; i++)
		if (facts->facts[i].name == cgroup)
			return facts->facts[i].is_threaded;
	if (!facts->mount)
		find_mount(facts);
	if (!cgroup || facts->nr == CGROUPS_MAX || !*facts->mount)
		return false;
	bytes = census_string_at(strings, cgroup, &len);
	if (len >= sizeof(path))
		return false;
	memcpy(path, bytes, len);	/* a later string may move it */
	path[len] = '\0';
	snprintf(folder, sizeof(folder), "%s%s", facts->mount, path);
	fact.folder = mem_strdup(folder);
	fact.is_threaded = read_file(folder, "cgroup.type", type, sizeof(type)) &&
			   strstr(type, "threaded");
	mem_grow(&facts->facts, facts->nr, &facts->cap);
	facts->facts[facts->nr] = fact;
	state = read_state(facts, facts->nr++, clock);
	state.id = stat(folder, &st) ? 0 : st.st_ino;
	add_state(facts, &state);
	while (len > 1 && path[--len] != '/')
		;
	/* the limit may be one of a group above */
	if (len > 1)
		cgroup_facts_see(facts, strings, census_string(strings, path, len), clock);
	return fact.is_threaded;
}

void cgroup_facts_look(struct cgroup_facts *facts, const struct census_clock *clock)
{
	for (uint32_t i = 0; i < facts->nr; i++) {
		const struct cgroup_state *last = &facts->states[facts->facts[i].last];
		struct cgroup_state state = { .quota_us = -1 };
		bool is_new = false;

		if (last->quota_us <= 0) {	/* runc sets limits after it has moved tasks */
			read_limit(facts->facts[i].folder, facts->is_v1, &state);
			is_new = state.quota_us > 0;
			if (!is_new)
				continue;
		}
		state = read_state(facts, i, clock);
		if (is_new || (state.throttled >= 0 && (state.throttled != last->throttled ||
							state.throttled_us != last->throttled_us)))
			add_state(facts, &state);
	}
}

/* Of one that is gone, what it was before is all that is known. */
void cgroup_facts_end(struct cgroup_facts *facts, const struct census_clock *clock)
{
	for (uint32_t i = 0; i < facts->nr; i++) {
		struct cgroup_state state = read_state(facts, i, clock);

		if (state.periods >= 0 || state.usage_us >= 0)
			add_state(facts, &state);
	}
}

void cgroup_facts_text(const struct cgroup_facts *facts, uint32_t told,
		       const struct census_clock *clock, struct text *out)
{
	for (uint32_t i = told; i < facts->nr_states; i++) {
		const struct cgroup_state *s = &facts->states[i];
		const struct cgroup_fact *fact = &facts->facts[s->fact];

		text_printf(out,
			    "cgroup %" PRId64 " %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
			    " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
			    census_clock_trace(clock, s->at, true), fact->name, s->quota_us,
			    s->period_us, s->weight, s->usage_us, s->periods, s->throttled,
			    s->throttled_us, fact->is_threaded);
		if (s->id)
			text_printf(out, "cgroup_id %u %" PRIu64 "\n", fact->name, s->id);
	}
}

void cgroup_facts_fini(struct cgroup_facts *facts)
{
	for (uint32_t i = 0; i < facts->nr; i++)
		free(facts->facts[i].folder);
	free(facts->facts);
	free(facts->states);
	free(facts->mount);
}
