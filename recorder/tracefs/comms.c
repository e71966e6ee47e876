/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/comms.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"

void comms_fini(struct comms *comms)
{
	free(comms->entries);
	index_map_fini(&comms->map);
	*comms = (struct comms){ 0 };
}

static struct comm_entry *find_entry(const struct comms *comms, int pid)
{
	index_map_each (&comms->map, index_map_hash((uint32_t)pid), i)
		if (comms->entries[i].pid == pid)
			return &comms->entries[i];
	return NULL;
}

void comms_set(struct comms *comms, int pid, const char *comm, size_t len)
{
	struct comm_entry *entry;

	if (pid <= 0 || !len)
		return;
	entry = find_entry(comms, pid);
	if (!entry) {
		mem_grow(&comms->entries, comms->nr, &comms->cap);
		index_map_add(&comms->map, index_map_hash((uint32_t)pid), comms->nr);
		entry = &comms->entries[comms->nr++];
	}
	entry->pid = pid;
	if (len >= sizeof(entry->comm))
		len = sizeof(entry->comm) - 1;
	memcpy(entry->comm, comm, len);
	entry->comm[len] = '\0';
}

const char *comms_find(const struct comms *comms, int pid)
{
	const struct comm_entry *entry = find_entry(comms, pid);

	return entry ? entry->comm : NULL;
}

void comms_from_saved(struct comms *comms, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *end;
		long pid = strtol(text, &end, 10);

		if (*end == ' ' && end < text + len && strncmp(end + 1, "<...>", 5))
			comms_set(comms, (int)pid, end + 1, len - (end + 1 - text));
		text += len + (text[len] == '\n');
	}
}

/*
 * For kernel threads, /proc shows more than the name in records: the full name if it was truncated,
 * and a worker's current work, as in "kworker/u8:0-events_unbound" and "kworker/0:1H+kblockd".
 */
size_t comms_proc_len(const char *shown, size_t len)
{
	static const char worker[] = "kworker/";
	char name[sizeof(((struct comm_entry *)0)->comm)];
	int pool, nr, end = 0;

	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, shown, len);
	name[len] = '\0';
	if (!strncmp(name, worker, sizeof(worker) - 1)) {
		const char *id = name + sizeof(worker) - 1;

		if (sscanf(id + (*id == 'u'), "%d:%d%n", &pool, &nr, &end) == 2) {
			end += (int)(id - name) + (*id == 'u');
			end += name[end] == 'H';
			if (name[end] == '-' || name[end] == '+')
				len = (size_t)end;
		}
	}
	return len < COMM_LEN ? len : COMM_LEN;
}

/* @folder: "PID", or "PID/task/TID" */
static void one_task(struct comms *comms, int proc, const char *folder, const char *tid, bool again)
{
	char comm[64];
	size_t len;

	if (!again && comms_find(comms, atoi(tid)))
		return;
	if (!tracefs_dir_read_into(proc, TRACEFS_TEXT("%s/comm", folder), comm, sizeof(comm)))
		return;
	len = strlen(comm);
	if (len > 1)
		comms_set(comms, atoi(tid), comm,
			  comms_proc_len(comm, len - (comm[len - 1] == '\n')));
}

/* A folder of tasks has two links, and one for each: for most processes it need not be read. */
static bool has_one_task(int proc, const char *pid)
{
	struct stat folder;

	return !fstatat(proc, TRACEFS_TEXT("%s/task", pid), &folder, 0) && folder.st_nlink == 3;
}

void comms_from_proc(struct comms *comms, bool again)
{
	DIR *proc = opendir("/proc");
	struct dirent *p, *t;

	while (proc && (p = readdir(proc))) {
		DIR *tasks;
		int fd;

		if (p->d_name[0] < '1' || p->d_name[0] > '9')
			continue;
		if (has_one_task(dirfd(proc), p->d_name)) {
			one_task(comms, dirfd(proc), p->d_name, p->d_name, again);
			continue;
		}
		fd = openat(dirfd(proc), TRACEFS_TEXT("%s/task", p->d_name),
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		tasks = fd >= 0 ? fdopendir(fd) : NULL;
		while (tasks && (t = readdir(tasks)))
			if (t->d_name[0] != '.')
				one_task(comms, dirfd(proc),
					 TRACEFS_TEXT("%s/task/%s", p->d_name, t->d_name),
					 t->d_name, again);
		if (tasks)
			closedir(tasks);
	}
	if (proc)
		closedir(proc);
}

static int compare_pids(const void *a, const void *b)
{
	const struct comm_entry *x = *(struct comm_entry *const *)a,
				*y = *(struct comm_entry *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void comms_text(const struct comms *comms, struct text *out)
{
	struct comm_entry **sorted = mem_array(comms->nr + 1, sizeof(*sorted));

	for (unsigned int i = 0; i < comms->nr; i++)
		sorted[i] = &comms->entries[i];
	qsort(sorted, comms->nr, sizeof(*sorted), compare_pids);
	for (unsigned int i = 0; i < comms->nr; i++)
		text_printf(out, "%d %s\n", sorted[i]->pid, sorted[i]->comm);
	free(sorted);
}
