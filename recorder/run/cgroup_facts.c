/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/cgroup_facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

#define MOUNTS_BYTES	(1u << 20)
#define CGROUPS_MAX	100000u

/* -1: not known. */
struct cgroup_state {
	uint64_t	at;		/* census_clock's time, when cpu.stat was read */
	int64_t		quota_us, period_us;	/* quota 0: no limit */
	int64_t		weight;
	int64_t		usage_us, periods, throttled, throttled_us;
};

struct cgroup_fact {
	uint32_t	name;		/* a string of the census */
	char		*folder;	/* owned */
	bool		is_threaded;
	struct cgroup_state first, last;
};

const char *cgroup_facts_path(const char *text, size_t *len)
{
	const char *found = NULL, *path;
	bool has_v1 = false;

	*len = 0;
	for (const char *line = text; *line; line = path + strcspn(path, "\n")) {
		line += *line == '\n';
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (!path)
			break;
		has_v1 |= strncmp(line, "0::", 3) != 0;
		path++;
		if (!found || strcspn(path, "\n") > *len) {
			found = path;
			*len = strcspn(path, "\n");
		}
	}
	return has_v1 && *len <= 1 ? NULL : found;
}

/* Where all of cgroup v2 is mounted: "36 25 0:31 / /sys/fs/cgroup rw,… - cgroup2 …". */
static char *find_mount(void)
{
	struct text mounts = { 0 };
	char *save = NULL, *found = NULL;

	if (!small_file_read("/proc/self/mountinfo", MOUNTS_BYTES, &mounts, NULL) && mounts.len)
		for (char *line = strtok_r(mounts.data, "\n", &save); line && !found;
		     line = strtok_r(NULL, "\n", &save)) {
			char root[PATH_MAX], path[PATH_MAX];

			if (strstr(line, " - cgroup2 ") &&
			    sscanf(line, "%*s %*s %*s %4095s %4095s", root, path) == 2 &&
			    !strcmp(root, "/"))
				found = mem_strdup(path);
		}
	text_fini(&mounts);
	return found ? found : mem_strdup("");
}

static bool read_file(const char *folder, const char *name, char *text, size_t size)
{
	char path[2 * PATH_MAX];

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

static struct cgroup_state read_state(const char *folder, const struct census_clock *clock)
{
	struct cgroup_state state = { .quota_us = -1, .period_us = -1, .weight = -1 };
	char text[4096];

	read_file(folder, "cpu.stat", text, sizeof(text));
	state.at = census_clock_now(clock);
	state.usage_us = counter(text, "usage_usec");
	state.periods = counter(text, "nr_periods");
	state.throttled = counter(text, "nr_throttled");
	state.throttled_us = counter(text, "throttled_usec");
	if (read_file(folder, "cpu.max", text, sizeof(text))) {
		char *period = strchr(text, ' ');

		state.quota_us = !strncmp(text, "max", 3) ? 0 : strtoll(text, NULL, 10);
		state.period_us = period ? strtoll(period, NULL, 10) : -1;
	}
	if (read_file(folder, "cpu.weight", text, sizeof(text)))
		state.weight = strtoll(text, NULL, 10);
	return state;
}

/* False: cgroup v2 is not mounted. */
static bool folder_of(const struct cgroup_facts *facts, const struct census_strings *strings,
		      uint32_t name, char *folder, size_t size)
{
	size_t len;
	const char *path = census_string_at(strings, name, &len);

	return *facts->mount &&
	       snprintf(folder, size, "%s%.*s", facts->mount, (int)len, path) < (int)size;
}

bool cgroup_facts_see(struct cgroup_facts *facts, const struct census_strings *strings,
		      uint32_t cgroup, const struct census_clock *clock)
{
	char folder[PATH_MAX], type[64];
	struct cgroup_fact *fact;

	if (!cgroup)
		return false;
	for (uint32_t i = 0; i < facts->nr; i++)
		if (facts->facts[i].name == cgroup)
			return facts->facts[i].is_threaded;
	if (!facts->mount)
		facts->mount = find_mount();
	if (facts->nr == CGROUPS_MAX || !folder_of(facts, strings, cgroup, folder, sizeof(folder)))
		return false;
	mem_grow(&facts->facts, facts->nr, &facts->cap);
	fact = &facts->facts[facts->nr++];
	*fact = (struct cgroup_fact){ .name = cgroup, .folder = mem_strdup(folder),
				      .first = read_state(folder, clock) };
	fact->last = fact->first;
	fact->is_threaded = read_file(folder, "cgroup.type", type, sizeof(type)) &&
			    strstr(type, "threaded");
	return fact->is_threaded;
}

void cgroup_facts_end(struct cgroup_facts *facts, const struct census_clock *clock)
{
	for (uint32_t i = 0; i < facts->nr; i++) {
		struct cgroup_fact *fact = &facts->facts[i];

		fact->last = read_state(fact->folder, clock);
		/* it is gone: what it was at the beginning is all that is known */
		if (fact->last.usage_us < 0)
			fact->last = fact->first;
	}
}

static void add_state(const struct cgroup_fact *fact, const struct cgroup_state *s,
		      const struct census_clock *clock, struct text *out)
{
	text_printf(out,
		    "cgroup %" PRId64 " %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
		    " %" PRId64 " %" PRId64 " %d\n",
		    census_clock_trace(clock, s->at, true), fact->name, s->quota_us, s->period_us,
		    s->weight, s->usage_us, s->periods, s->throttled, s->throttled_us,
		    fact->is_threaded);
}

void cgroup_facts_text(const struct cgroup_facts *facts, uint32_t told,
		       const struct census_clock *clock, struct text *out)
{
	for (uint32_t i = told; i < facts->nr; i++) {
		add_state(&facts->facts[i], &facts->facts[i].first, clock, out);
		if (facts->facts[i].last.at != facts->facts[i].first.at)
			add_state(&facts->facts[i], &facts->facts[i].last, clock, out);
	}
}

void cgroup_facts_fini(struct cgroup_facts *facts)
{
	for (uint32_t i = 0; i < facts->nr; i++)
		free(facts->facts[i].folder);
	free(facts->facts);
	free(facts->mount);
}
