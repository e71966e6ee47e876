/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_read - reads the journal of a recorder that has ended; only trusts files written by root.
 */
#include "recorder/journal/journal_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/tracefs/owner.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

#define MAX_JOURNAL	(64u << 20)

/* Parse "NAME LEN\n<bytes>\n" at *p and advance past it.  Fails if the last entry is cut. */
static bool take_blob(const char **p, const char *end, char **name, char **bytes)
{
	const char *line = memchr(*p, '\n', end - *p);
	const char *blank = line ? memrchr(*p, ' ', line - *p) : NULL;
	unsigned long long len;

	if (!blank)
		return false;
	len = strtoull(blank + 1, NULL, 10);
	if (len > (unsigned long long)(end - line - 1) || end - line - 1 - len < 1)
		return false;
	*name = mem_strndup(*p, blank - *p);
	*bytes = mem_strndup(line + 1, len);
	*p = line + 1 + len + 1;
	return true;
}

static bool take_line(const char **p, const char *end, const char *word, char **rest)
{
	size_t len = strlen(word);
	const char *line = memchr(*p, '\n', end - *p);

	if (!line || (size_t)(line - *p) < len || memcmp(*p, word, len))
		return false;
	*rest = mem_strndup(*p + len, line - *p - len);
	*p = line + 1;
	return true;
}

/* Everything else has been undone, and may belong to someone else by now. */
static void keep_names(struct journal *j)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->nr; i++) {
		struct journal_entry *entry = &j->entries[i];

		if (entry->what == JOURNAL_SAVED && entry->kind == JOURNAL_NAMES)
			j->entries[kept++] = *entry;
		else
			journal_free_entry(entry);
	}
	j->nr = kept;
	j->waits = true;
}

static bool parse_entry(struct journal *j, const char **p, const char *end)
{
	char *name = NULL, *bytes = NULL;
	struct journal_entry *entry;

	if (take_line(p, end, "instance ", &name)) {
		journal_add_entry(j, JOURNAL_INSTANCE, name);
	} else if (take_line(p, end, "unmade ", &name)) {
		journal_forget_made(j, name);
	} else if (take_line(p, end, "dynamic ", &name)) {
		journal_add_entry(j, JOURNAL_DYNAMIC, name);
	} else if (take_line(p, end, "again ", &name)) {
		entry = journal_find_saved(j, name);
		if (entry) {
			free(entry->wrote);
			entry->wrote = NULL;
		}
	} else if (take_line(p, end, "waits ", &name)) {
		keep_names(j);
	} else if (end - *p > 7 && !memcmp(*p, "save ", 5)) {
		char *blank;
		long kind = strtol(*p + 5, &blank, 10);

		if (*blank != ' ' || kind < JOURNAL_VALUE || kind > JOURNAL_PIDS)
			return false;
		*p = blank + 1;
		if (!take_blob(p, end, &name, &bytes))
			return false;
		entry = journal_add_entry(j, JOURNAL_SAVED, name);
		entry->kind = kind;
		entry->old = bytes;
	} else if (end - *p > 6 && !memcmp(*p, "wrote ", 6)) {
		*p += 6;
		if (!take_blob(p, end, &name, &bytes))
			return false;
		entry = journal_find_saved(j, name);
		if (entry) {
			free(entry->wrote);
			entry->wrote = bytes;
		} else {
			free(bytes);
		}
	} else {
		return false;
	}
	free(name);
	return true;
}

/* Are all names in the journal relative to tracefs, without leaving it? */
static bool names_are_inside(const struct journal *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct journal_entry *entry = &j->entries[i];

		if (entry->name[0] == '/' || strstr(entry->name, "..") ||
		    (!strncmp(entry->name, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL)) &&
		     strchr(entry->name, '/')) ||
		    (entry->what == JOURNAL_INSTANCE && strchr(entry->name, '/')))
			return false;
	}
	return true;
}

/* Check that the head is one of ours, of this boot and this tracefs; advance past it. */
static enum journal_state read_head(struct journal *j, const char **p, const char *end)
{
	char boot[OWNER_BOOT_BYTES], *line = NULL;
	unsigned long long dev, ino;
	struct stat st;
	bool good;

	if (!take_line(p, end, JOURNAL_HEAD, &line))
		return JOURNAL_FOREIGN;
	free(line);
	if (!take_line(p, end, "boot ", &line))
		return JOURNAL_FOREIGN;
	good = !strcmp(line, owner_boot_id(boot));
	free(line);
	/* tracefs started anew since then */
	if (!good)
		return JOURNAL_OUTDATED;
	if (!take_line(p, end, "root ", &line))
		return JOURNAL_FOREIGN;
	good = sscanf(line, "%llu %llu", &dev, &ino) == 2 && !fstat(j->root->fd, &st) &&
	       st.st_dev == dev && st.st_ino == ino;
	free(line);
	return good ? JOURNAL_OF_DEAD : JOURNAL_FOREIGN;
}

/* Open and lock the file; only trusts a file written by root. */
static enum journal_state lock_file(struct journal *j)
{
	struct stat st, named;

	j->fd = open(j->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_APPEND);
	if (j->fd < 0)
		return errno == ENOENT ? JOURNAL_ABSENT : JOURNAL_FOREIGN;
	if (fstat(j->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > MAX_JOURNAL)
		return JOURNAL_FOREIGN;
	if (flock(j->fd, LOCK_EX | LOCK_NB))
		return JOURNAL_OF_LIVING;
	/* another run may have undone and removed it while we opened it */
	if (lstat(j->path, &named) || named.st_ino != st.st_ino || named.st_dev != st.st_dev)
		return JOURNAL_ABSENT;
	return JOURNAL_OF_DEAD;
}

struct journal *journal_take_over(const char *run_dir, const char *name,
				  const struct tracefs_dir *root, enum journal_state *state)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 }, path = { 0 };
	const char *p, *end;

	text_printf(&path, "%s/" JOURNAL_PREFIX "%s", run_dir, name);
	j->path = path.data;
	j->root = root;
	*state = lock_file(j);
	if (*state != JOURNAL_OF_DEAD)
		goto none;
	if (small_file_read(TRACEFS_TEXT("/proc/self/fd/%d", j->fd), MAX_JOURNAL, &t, NULL)) {
		*state = JOURNAL_FOREIGN;
		goto none;
	}
	p = text_str(&t);
	end = p + t.len;
	*state = read_head(j, &p, end);
	if (*state == JOURNAL_OUTDATED)
		unlink(j->path);
	if (*state != JOURNAL_OF_DEAD)
		goto none;
	while (p < end && parse_entry(j, &p, end))
		;
	if (!names_are_inside(j)) {
		*state = JOURNAL_FOREIGN;
		goto none;
	}
	text_fini(&t);
	return j;
none:
	text_fini(&t);
	journal_free(j);
	return NULL;
}

void journal_leave(struct journal *j)
{
	if (j)
		journal_free(j);
}

bool journal_waits(const struct journal *j)
{
	return j->waits;
}
