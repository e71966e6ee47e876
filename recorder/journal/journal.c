/* SPDX-License-Identifier: GPL-2.0-or-later */
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

#define SYSCTL_FOLDER	"/proc/sys/kernel"

/* Read a file to @out, or write @value to it; the other one is NULL. */
static int use_file(const struct journal *j, const char *file, struct text *out, const char *value,
		    enum tracefs_dir_mode mode, struct ft_error *err)
{
	const struct tracefs_dir *dir = j->root;
	struct tracefs_dir sysctl = { .fd = -1 };
	int ret = 0, errnum;

	if (!strncmp(file, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL))) {
		ret = tracefs_dir_open(&sysctl, SYSCTL_FOLDER, err);
		file += strlen(JOURNAL_SYSCTL);
		dir = &sysctl;
	}
	if (!ret)
		ret = out ? tracefs_dir_read(dir, file, out, err) :
			    tracefs_dir_write(dir, file, value, mode, err);
	errnum = errno;
	tracefs_dir_close(&sysctl);
	errno = errnum;
	return ret;
}

int journal_read_file(const struct journal *j, const char *file, struct text *out,
		      struct ft_error *err)
{
	return use_file(j, file, out, NULL, TRACEFS_DIR_REPLACE, err);
}

int journal_write_file(const struct journal *j, const char *file, const char *value,
		       enum tracefs_dir_mode mode, struct ft_error *err)
{
	return use_file(j, file, NULL, value, mode, err);
}

static int append_bytes(struct journal *j, const struct text *t, struct ft_error *err)
{
	ssize_t put = write(j->fd, t->data, t->len);

	/*
	 * it must survive the recorder, but not the kernel, whose tracefs is gone then too: no need
	 * for fsync
	 */
	if (put != (ssize_t)t->len)
		return ft_error_errno(err, put < 0 ? errno : ENOSPC, -1,
				      "%s: cannot write the journal", j->path);
	return 0;
}

/* Append "WORD NAME\n"; with the contents of a file, "WORD NAME LEN\nCONTENTS\n". */
static int append_entry(struct journal *j, const char *word, const char *name, const char *contents,
			struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	text_printf(&t, "%s %s", word, name);
	if (contents)
		text_printf(&t, " %zu\n%s", strlen(contents), contents);
	text_char(&t, '\n');
	ret = append_bytes(j, &t, err);
	text_fini(&t);
	return ret;
}

int journal_append_line(struct journal *j, const char *word, const char *name, struct ft_error *err)
{
	return append_entry(j, word, name, NULL, err);
}

/*
 * @name: "journal-ftop-PID-START".  If the file system can, the file has no name until it is
 *        locked.
 */
static int make_file(struct journal *j, const char *run_dir, struct ft_error *err)
{
	j->fd = open(run_dir, O_WRONLY | O_TMPFILE | O_CLOEXEC | O_APPEND, 0600);
	if (j->fd >= 0 && !flock(j->fd, LOCK_EX | LOCK_NB) &&
	    !linkat(AT_FDCWD, TRACEFS_TEXT("/proc/self/fd/%d", j->fd), AT_FDCWD, j->path,
		    AT_SYMLINK_FOLLOW))
		return 0;
	if (j->fd >= 0)
		close(j->fd);
	j->fd = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND,
		     0600);
	if (j->fd >= 0 && !flock(j->fd, LOCK_EX | LOCK_NB))
		return 0;
	ft_error_errno(err, errno, -1, "%s: cannot make the journal", j->path);
	if (j->fd >= 0)
		unlink(j->path);
	return -1;
}

void journal_free_entry(struct journal_entry *entry)
{
	free(entry->name);
	free(entry->old);
	free(entry->wrote);
}

void journal_free(struct journal *j)
{
	for (size_t i = 0; i < j->nr; i++)
		journal_free_entry(&j->entries[i]);
	/* closing it releases the lock */
	if (j->fd >= 0)
		close(j->fd);
	if (j->top)
		close(j->top);
	free(j->entries);
	free(j->path);
	free(j);
}

struct journal *journal_new(const char *run_dir, const struct tracefs_dir *root,
			    struct ft_error *err)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 }, path = { 0 };
	char name[OWNER_NAME_BYTES], boot[OWNER_BOOT_BYTES];
	struct stat st;

	j->fd = -1;
	j->root = root;
	if (owner_name(name, sizeof(name), err))
		goto fail;
	text_printf(&path, "%s/" JOURNAL_PREFIX "%s", run_dir, name);
	j->path = path.data;
	if (mkdir(run_dir, 0700) && errno != EEXIST) {
		ft_error_errno(err, errno, -1, "%s: cannot make the folder of the journal",
			       run_dir);
		goto fail;
	}
	if (fstat(root->fd, &st)) {
		ft_error_errno(err, errno, -1, "%s", root->path);
		goto fail;
	}
	if (make_file(j, run_dir, err))
		goto fail;
	text_printf(&t, JOURNAL_HEAD "\nboot %s\nroot %llu %llu %s\n", owner_boot_id(boot),
		    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino, root->path);
	if (append_bytes(j, &t, err)) {
		unlink(j->path);
		goto fail;
	}
	text_fini(&t);
	return j;
fail:
	text_fini(&t);
	journal_free(j);
	return NULL;
}

struct journal_entry *journal_add_entry(struct journal *j, enum journal_what what, const char *name)
{
	mem_grow(&j->entries, j->nr, &j->cap);
	j->entries[j->nr] = (struct journal_entry){ .what = what, .name = mem_strdup(name) };
	return &j->entries[j->nr++];
}

int journal_instance(struct journal *j, const char *name, struct ft_error *err)
{
	journal_add_entry(j, JOURNAL_INSTANCE, name);
	return journal_append_line(j, "instance", name, err);
}

void journal_forget_made(struct journal *j, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->nr; i++) {
		if (j->entries[i].what != JOURNAL_SAVED && !strcmp(j->entries[i].name, name))
			journal_free_entry(&j->entries[i]);
		else
			j->entries[kept++] = j->entries[i];
	}
	j->nr = kept;
}

void journal_unmade(struct journal *j, const char *name)
{
	journal_forget_made(j, name);
	journal_append_line(j, "unmade", name, NULL);
}

int journal_dynamic(struct journal *j, const char *group_and_name, struct ft_error *err)
{
	journal_add_entry(j, JOURNAL_DYNAMIC, group_and_name);
	return journal_append_line(j, "dynamic", group_and_name, err);
}

struct journal_entry *journal_find_saved(struct journal *j, const char *file)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->entries[i].what == JOURNAL_SAVED && !strcmp(j->entries[i].name, file))
			return &j->entries[i];
	return NULL;
}

static int save_file(struct journal *j, enum journal_kind kind, const char *file, const char *old,
		     struct ft_error *err)
{
	struct journal_entry *entry = journal_add_entry(j, JOURNAL_SAVED, file);

	entry->kind = kind;
	entry->old = mem_strdup(old);
	return append_entry(j, TRACEFS_TEXT("save %d", (int)kind), file, old, err);
}

static int note_written(struct journal *j, struct journal_entry *entry, const char *now,
			struct ft_error *err)
{
	free(entry->wrote);
	entry->wrote = mem_strdup(now);
	return append_entry(j, "wrote", entry->name, now, err);
}

int journal_write(struct journal *j, enum journal_kind kind, const char *file, const char *value,
		  bool append, struct ft_error *err)
{
	struct journal_entry *entry = journal_find_saved(j, file);
	struct text t = { 0 };
	int ret = 0, errnum;

	/*
	 * a trigger is removed by its own text, whatever else the file holds; O_TRUNC would remove
	 * all triggers; it is the same with events
	 */
	if (kind == JOURNAL_TRIGGER || kind == JOURNAL_EVENTS) {
		append = true;
		ret = save_file(j, kind, file, value, err);
		entry = ret ? NULL : &j->entries[j->nr - 1];
	} else if (!entry) {
		ret = journal_read_file(j, file, &t, err);
		if (!ret)
			ret = save_file(j, kind, file, text_str(&t), err);
		entry = ret ? NULL : &j->entries[j->nr - 1];
	}
	if (!ret && entry->wrote) {
		/* while the file is being written again, its contents are ours in any case */
		free(entry->wrote);
		entry->wrote = NULL;
		ret = journal_append_line(j, "again", file, err);
	}
	if (!ret)
		ret = journal_write_file(j, file, value,
					 append ? TRACEFS_DIR_APPEND : TRACEFS_DIR_REPLACE, err);
	errnum = errno;
	text_clear(&t);
	if (entry && !journal_read_file(j, file, &t, NULL) &&
	    note_written(j, entry, text_str(&t), ret ? NULL : err))
		ret = -1;
	text_fini(&t);
	errno = errnum;
	return ret;
}

int journal_save(struct journal *j, enum journal_kind kind, const char *file, struct ft_error *err)
{
	struct text t = { 0 };
	int ret = 0;

	if (!journal_find_saved(j, file) && !journal_read_file(j, file, &t, NULL))
		ret = save_file(j, kind, file, text_str(&t), err);
	text_fini(&t);
	return ret;
}

int journal_note(struct journal *j, const char *file, struct ft_error *err)
{
	struct journal_entry *entry = journal_find_saved(j, file);
	struct text t = { 0 };
	int ret = 0;

	if (entry && !journal_read_file(j, file, &t, NULL))
		ret = note_written(j, entry, text_str(&t), err);
	text_fini(&t);
	return ret;
}
