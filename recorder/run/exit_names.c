/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/exit_names.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/owner.h"

#define TOTAL_KB	16384u		/* for all CPUs: a name takes some 40 bytes */
#define MOST_KB		64u		/* per CPU */
#define MOST_BYTES	(4u << 20)	/* text read per call: tasks may end faster than we read */
#define EVENT		"events/sched/sched_process_exit/enable"
#define COMM_BYTES	15u		/* TASK_COMM_LEN less the final NUL */

static const char before_comm[] = "sched_process_exit: comm=";

/*
 * A name may contain anything, including newlines and text like the rest of the line: the last
 * match is the kernel's.
 */
static size_t comm_length(const char *comm, int *pid)
{
	size_t found = 0;

	for (size_t i = 0; i <= COMM_BYTES && comm[i]; i++) {
		char *end;
		long nr;

		if (strncmp(comm + i, " pid=", 5) || !isdigit((unsigned char)comm[i + 5]))
			continue;
		nr = strtol(comm + i + 5, &end, 10);
		if (strncmp(end, " prio=", 6) || nr > INT32_MAX)
			continue;
		*pid = (int)nr;
		found = i;
	}
	return found;
}

void exit_names_from_text(const char *text, struct comms *comms)
{
	while ((text = strstr(text, before_comm))) {
		int pid = 0;
		size_t len;

		text += sizeof(before_comm) - 1;
		len = comm_length(text, &pid);
		comms_set(comms, pid, text, len);
	}
}

/*
 * A new instance starts with the top instance's options: reset those that change the format of
 * lines.
 */
static void usual_lines(const struct tracefs_dir *dir)
{
	static const char *const unusual[] = {
		"raw", "hex", "bin", "fields", "stacktrace", "userstacktrace",
	};

	for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++)
		tracefs_dir_write(dir, TRACEFS_TEXT("options/%s", unusual[i]), "0",
				  TRACEFS_DIR_REPLACE, NULL);
}

void exit_names_begin(struct exit_names *names, const struct tracefs_dir *root,
		      struct journal *journal, unsigned int nr_cpus)
{
	char owner[OWNER_NAME_BYTES];
	unsigned int kb = TOTAL_KB / (nr_cpus ? nr_cpus : 1);
	struct instance *inst = &names->instance;
	const char *name;

	if (!journal || owner_name(owner, sizeof(owner), NULL))
		return;
	name = TRACEFS_TEXT("%s" OWNER_NAMES, owner);
	if (journal_instance(journal, name, NULL) || instance_make(inst, root, name, NULL))
		return;
	usual_lines(&inst->dir);
	/*
	 * resizing waits for the kernel, some 10 ms, and the first event then waits again: only do
	 * it if the default is too large in total
	 */
	if (!instance_size_kb(inst) || instance_size_kb(inst) > kb)
		instance_resize(inst, kb < MOST_KB ? kb : MOST_KB, NULL);
	instance_start(inst, NULL);
}

const struct tracefs_dir *exit_names_idle(const struct exit_names *names)
{
	if (!names->instance.name)
		return NULL;
	tracefs_dir_write(&names->instance.dir, EVENT, "0", TRACEFS_DIR_REPLACE, NULL);
	return &names->instance.dir;
}

void exit_names_start(struct exit_names *names)
{
	const struct tracefs_dir *dir = &names->instance.dir;

	if (names->instance.name && !tracefs_dir_write(dir, EVENT, "1", TRACEFS_DIR_REPLACE, NULL))
		names->pipe = tracefs_dir_file(dir, "trace_pipe", O_RDONLY | O_NONBLOCK, NULL);
}

void exit_names_read(const struct exit_names *names, struct comms *comms)
{
	struct text text = { 0 };
	char part[16384];
	ssize_t got;

	while (names->pipe >= 0 && text.len < MOST_BYTES) {
		got = read(names->pipe, part, sizeof(part));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		text_bytes(&text, part, (size_t)got);
	}
	exit_names_from_text(text_str(&text), comms);
	text_fini(&text);
}

int exit_names_end(struct exit_names *names, struct ft_error *err)
{
	if (names->pipe >= 0)
		close(names->pipe);
	names->pipe = -1;
	return instance_end(&names->instance, err);
}
