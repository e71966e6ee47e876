/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/plan/plan_pids.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"

bool plan_pids_alive(const char *pid)
{
	char line[512];
	const char *state;

	tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("/proc/%s/stat", pid), line, sizeof(line));
	/* the state follows the name, which may contain anything */
	state = strrchr(line, ')');
	return state && strncmp(state, ") Z", 3) != 0 && strncmp(state, ") X", 3) != 0;
}

/* Is it a process and not one of its other threads, which can be given as well? */
static bool is_process(const struct tracefs_dir *proc, const char *pid)
{
	struct text status = { 0 };
	const char *tgid;
	bool is;

	tracefs_dir_read(proc, "status", &status, NULL);
	tgid = strstr(text_str(&status), "\nTgid:");
	is = tgid && strtol(tgid + 6, NULL, 10) == strtol(pid, NULL, 10);
	text_fini(&status);
	return is;
}

/*
 * The kernel filters by thread: add a note that the other threads of a given process are not
 * recorded.
 */
static void note_threads(struct record_plan *plan, const char *pid)
{
	struct name_list threads = { 0 };
	struct tracefs_dir proc;
	size_t missing = 0;

	if (tracefs_dir_open(&proc, TRACEFS_TEXT("/proc/%s", pid), NULL))
		return;
	if (is_process(&proc, pid))
		tracefs_dir_folders(&proc, "task", &threads, NULL);
	for (size_t i = 0; i < threads.nr; i++)
		missing += !name_list_has(&plan->pids, threads.names[i]);
	if (missing)
		text_printf(
			&plan->notes,
			"-P %s: %zu more thread%s of this process %s not recorded: -P $(ls /proc/%s/task | paste -sd,) names "
			"all\n",
			pid, missing, PLURAL(missing), missing == 1 ? "is" : "are", pid);
	name_list_fini(&threads);
	tracefs_dir_close(&proc);
}

void plan_pids_check(struct record_plan *plan)
{
	for (size_t i = 0; i < plan->pids.nr; i++) {
		const char *pid = plan->pids.names[i];

		if (access(TRACEFS_TEXT("/proc/%s", pid), F_OK))
			record_plan_mistake(plan, "-P %s: there is no such process", pid);
		else if (!plan_pids_alive(pid))
			record_plan_mistake(plan, "-P %s: this process has ended (it is a zombie)",
					    pid);
		else
			note_threads(plan, pid);
	}
}

void plan_pids_add(struct record_plan *plan, const char *value)
{
	for (const char *p = value; *p; p += *p == ',') {
		size_t len = strcspn(p, ",");
		char *pid = mem_strndup(p, len);

		if (!len || pid[strspn(pid, "0123456789")])
			record_plan_mistake(plan, "-P: '%s' is not a list of pids, as 12,34",
					    value);
		else
			name_list_add(&plan->pids, pid);
		free(pid);
		p += len;
	}
}
