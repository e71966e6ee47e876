/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/dynamic_event.h"
#include "recorder/others.h"
#include "recorder/owner.h"
#include "recorder/removal.h"
#include "src/memory.h"

#define HEAD_LINE	"ftop-trace journal 1"
#define HEAD		HEAD_LINE "\n"
#define MAX_JOURNAL	(64u << 20)
#define SYSCTL_FOLDER	"/proc/sys/kernel"

enum entry_what { ENTRY_INSTANCE, ENTRY_DYNAMIC, ENTRY_SAVE };

struct entry {
	enum entry_what		 what;
	enum journal_kind	 kind;		/* of a save */
	char			*name;		/* file, instance or event; owned */
	char			*old;		/* what a file held; owned */
	char			*wrote;		/* what it showed after our last write; NULL: not written yet */
};

struct journal {
	char		*path;			/* of its own file */
	const struct tracefs_dir *root;		/* borrowed */
	int		 fd;			/* of that file, locked while its recorder lives */
	struct entry	*entries;
	size_t		 nr, cap;
	bool		 waits;			/* what is left to undo can be done when nobody else traces */
};

/* --- writing --------------------------------------------------------------------------------------- */

static int read_file(const struct journal *j, const char *file, struct text *out, struct ft_error *err)
{
	struct tracefs_dir sysctl;
	int ret, errnum;

	if (strncmp(file, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL)))
		return tracefs_dir_read(j->root, file, out, err);
	ret = tracefs_dir_open(&sysctl, SYSCTL_FOLDER, err);
	if (!ret)
		ret = tracefs_dir_read(&sysctl, file + strlen(JOURNAL_SYSCTL), out, err);
	errnum = errno;
	tracefs_dir_close(&sysctl);
	errno = errnum;
	return ret;
}

static int write_file(const struct journal *j, const char *file, const char *value, enum tracefs_dir_mode mode,
		      struct ft_error *err)
{
	struct tracefs_dir sysctl;
	int ret, errnum;

	if (strncmp(file, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL)))
		return tracefs_dir_write(j->root, file, value, mode, err);
	ret = tracefs_dir_open(&sysctl, SYSCTL_FOLDER, err);
	if (!ret)
		ret = tracefs_dir_write(&sysctl, file + strlen(JOURNAL_SYSCTL), value, mode, err);
	errnum = errno;
	tracefs_dir_close(&sysctl);
	errno = errnum;
	return ret;
}

static int append_bytes(struct journal *j, const struct text *t, struct ft_error *err)
{
	ssize_t put = write(j->fd, t->data, t->len);

	/* It is to outlive its recorder, not the kernel, whose tracefs ends with it: no need to wait for a disk. */
	if (put != (ssize_t)t->len)
		return ft_error_errno(err, put < 0 ? errno : ENOSPC, -1, "%s: cannot write the journal", j->path);
	return 0;
}

static int append_line(struct journal *j, const char *word, const char *name, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	text_printf(&t, "%s %s\n", word, name);
	ret = append_bytes(j, &t, err);
	text_fini(&t);
	return ret;
}

/* @name: "journal-ftop-PID-START"; an empty file without a name where the file system can, so that it never is there unlocked. */
static int make_file(struct journal *j, const char *run_dir, struct ft_error *err)
{
	char proc[64];

	j->fd = open(run_dir, O_WRONLY | O_TMPFILE | O_CLOEXEC | O_APPEND, 0600);
	if (j->fd >= 0 && !flock(j->fd, LOCK_EX | LOCK_NB)) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", j->fd);
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, j->path, AT_SYMLINK_FOLLOW))
			return 0;
	}
	if (j->fd >= 0)
		close(j->fd);
	j->fd = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0600);
	if (j->fd >= 0 && !flock(j->fd, LOCK_EX | LOCK_NB))
		return 0;
	ft_error_errno(err, errno, -1, "%s: cannot make the journal", j->path);
	if (j->fd >= 0)
		unlink(j->path);
	return -1;
}

static void free_entry(struct entry *entry)
{
	free(entry->name);
	free(entry->old);
	free(entry->wrote);
}

static void journal_free(struct journal *j)
{
	for (size_t i = 0; i < j->nr; i++)
		free_entry(&j->entries[i]);
	/* the lock goes with it */
	if (j->fd >= 0)
		close(j->fd);
	free(j->entries);
	free(j->path);
	free(j);
}

struct journal *journal_new(const char *run_dir, const struct tracefs_dir *root, struct ft_error *err)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 };
	char name[OWNER_NAME_BYTES], path[4096], boot[OWNER_BOOT_BYTES];
	struct stat st;

	j->fd = -1;
	j->root = root;
	if (owner_name(name, sizeof(name), err))
		goto fail;
	snprintf(path, sizeof(path), "%s/" JOURNAL_PREFIX "%s", run_dir, name);
	j->path = mem_strdup(path);
	if (mkdir(run_dir, 0700) && errno != EEXIST) {
		ft_error_errno(err, errno, -1, "%s: cannot make the folder of the journal", run_dir);
		goto fail;
	}
	if (fstat(root->fd, &st)) {
		ft_error_errno(err, errno, -1, "%s", root->path);
		goto fail;
	}
	if (make_file(j, run_dir, err))
		goto fail;
	text_printf(&t, HEAD "boot %s\nroot %llu %llu %s\n", owner_boot_id(boot), (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino, root->path);
	if (append_bytes(j, &t, err)) {
		unlink(path);
		goto fail;
	}
	text_fini(&t);
	return j;
fail:
	text_fini(&t);
	journal_free(j);
	return NULL;
}

static struct entry *add_entry(struct journal *j, enum entry_what what, const char *name)
{
	mem_grow(&j->entries, j->nr, &j->cap);
	j->entries[j->nr] = (struct entry){ .what = what, .name = mem_strdup(name) };
	return &j->entries[j->nr++];
}

int journal_instance(struct journal *j, const char *name, struct ft_error *err)
{
	add_entry(j, ENTRY_INSTANCE, name);
	return append_line(j, "instance", name, err);
}

int journal_dynamic(struct journal *j, const char *group_and_name, struct ft_error *err)
{
	add_entry(j, ENTRY_DYNAMIC, group_and_name);
	return append_line(j, "dynamic", group_and_name, err);
}

static struct entry *find_save(struct journal *j, const char *file)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->entries[i].what == ENTRY_SAVE && !strcmp(j->entries[i].name, file))
			return &j->entries[i];
	return NULL;
}

static int save(struct journal *j, enum journal_kind kind, const char *file, const char *old, struct ft_error *err)
{
	struct entry *entry = add_entry(j, ENTRY_SAVE, file);
	struct text t = { 0 };
	int ret;

	entry->kind = kind;
	entry->old = mem_strdup(old);
	text_printf(&t, "save %d %s %zu\n", (int)kind, file, strlen(old));
	text_add(&t, old);
	text_char(&t, '\n');
	ret = append_bytes(j, &t, err);
	text_fini(&t);
	return ret;
}

static int note_written(struct journal *j, struct entry *entry, const char *now, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	free(entry->wrote);
	entry->wrote = mem_strdup(now);
	text_printf(&t, "wrote %s %zu\n", entry->name, strlen(now));
	text_add(&t, now);
	text_char(&t, '\n');
	ret = append_bytes(j, &t, err);
	text_fini(&t);
	return ret;
}

int journal_write(struct journal *j, enum journal_kind kind, const char *file, const char *value, bool append,
		  struct ft_error *err)
{
	struct entry *entry = find_save(j, file);
	struct text t = { 0 };
	int ret = 0, errnum;

	/* a trigger is taken off by its own words: what else the file holds does not matter; O_TRUNC would clear it all */
	append |= kind == JOURNAL_TRIGGER;
	if (!entry || kind == JOURNAL_TRIGGER) {
		ret = kind == JOURNAL_TRIGGER ? 0 : read_file(j, file, &t, err);
		if (!ret)
			ret = save(j, kind, file, kind == JOURNAL_TRIGGER ? value : text_str(&t), err);
		entry = ret ? NULL : &j->entries[j->nr - 1];
	}
	if (!ret && entry->wrote) {
		/* while it is written anew, what it shows is ours in any case */
		free(entry->wrote);
		entry->wrote = NULL;
		ret = append_line(j, "again", file, err);
	}
	if (!ret)
		ret = write_file(j, file, value, append ? TRACEFS_DIR_APPEND : TRACEFS_DIR_REPLACE, err);
	errnum = errno;
	text_clear(&t);
	if (entry && !read_file(j, file, &t, NULL) && note_written(j, entry, text_str(&t), ret ? NULL : err))
		ret = -1;
	text_fini(&t);
	errno = errnum;
	return ret;
}

int journal_save(struct journal *j, enum journal_kind kind, const char *file, struct ft_error *err)
{
	struct text t = { 0 };
	int ret = 0;

	if (!find_save(j, file) && !read_file(j, file, &t, NULL))
		ret = save(j, kind, file, text_str(&t), err);
	text_fini(&t);
	return ret;
}

int journal_note(struct journal *j, const char *file, struct ft_error *err)
{
	struct entry *entry = find_save(j, file);
	struct text t = { 0 };
	int ret = 0;

	if (entry && !read_file(j, file, &t, NULL))
		ret = note_written(j, entry, text_str(&t), err);
	text_fini(&t);
	return ret;
}

/* --- undoing ---------------------------------------------------------------------------------------- */

static int replace(const struct journal *j, const char *file, const char *value, struct ft_error *err)
{
	return write_file(j, file, value, TRACEFS_DIR_REPLACE, err);
}

static int append(const struct journal *j, const char *file, const char *value, struct ft_error *err)
{
	return write_file(j, file, value, TRACEFS_DIR_APPEND, err);
}

/* "vfs_read:traceoff:count=2" among functions: where its count begins, which the kernel changes; 0: no command. */
static size_t command_length(const char *line)
{
	size_t len = strcspn(line, "\n");
	const char *command = memchr(line, ':', len), *count;

	if (!command || !strncmp(command, ":mod:", 5))
		return 0;
	count = memmem(line, len, ":count=", 7);
	if (!count)
		count = memmem(line, len, ":unlimited", 10);
	return count ? (size_t)(count - line) : len;
}

static bool has_command(const struct name_list *lines, const char *line)
{
	size_t len = command_length(line);

	for (size_t i = 0; i < lines->nr; i++)
		if (command_length(lines->names[i]) == len && !memcmp(lines->names[i], line, len))
			return true;
	return false;
}

/* Whether two texts of a list differ in counts alone. */
static bool same_lists(const char *a, const char *b)
{
	while (*a && *b) {
		size_t len = command_length(a) ? command_length(a) : strcspn(a, "\n");

		if (strncmp(a, b, len) || (b[len] && !strchr(command_length(b) == len ? ":\n" : "\n", b[len])))
			return false;
		a += strcspn(a, "\n");
		b += strcspn(b, "\n");
		a += *a == '\n';
		b += *b == '\n';
	}
	return !*a && !*b;
}

/* Clearing takes functions out of a list, and leaves commands in it. */
static int remove_commands(const struct journal *j, const char *file, const char *now, const struct name_list *lines,
			   struct ft_error *err)
{
	struct name_list present = { 0 };
	int ret = 0;

	name_list_lines(&present, now);
	for (size_t i = 0; i < present.nr && !ret; i++) {
		size_t len = command_length(present.names[i]);
		struct text line = { 0 };

		if (!len || has_command(lines, present.names[i]))
			continue;
		/* one with a count is another command to the kernel than one without, whatever the count */
		text_printf(&line, "!%.*s%s\n", (int)len, present.names[i], strstr(present.names[i], ":count=") ? ":0" : "");
		ret = append(j, file, text_str(&line), err);
		text_fini(&line);
	}
	name_list_fini(&present);
	return ret;
}

static int write_lines(const struct journal *j, const char *file, const char *now, const char *text, struct ft_error *err)
{
	struct name_list lines = { 0 };
	int ret = replace(j, file, "", err);

	name_list_lines(&lines, text);
	if (!ret)
		ret = remove_commands(j, file, now, &lines, err);
	for (size_t i = 0; i < lines.nr && !ret; i++) {
		/* set_ftrace_pid says so where it holds none */
		if (!strcmp(lines.names[i], "no pid") || command_length(lines.names[i]))
			continue;
		/* each name ends with a blank: the kernel joins what stands in two writes */
		struct text line = { 0 };

		text_printf(&line, "%s\n", lines.names[i]);
		ret = append(j, file, text_str(&line), err);
		text_fini(&line);
	}
	name_list_fini(&lines);
	return ret;
}

static int write_size(const struct journal *j, const char *file, const char *old, struct ft_error *err)
{
	const char *expanded = strstr(old, "expanded: ");
	char number[32];

	snprintf(number, sizeof(number), "%lld", strtoll(expanded ? expanded + 10 : old, NULL, 10));
	return replace(j, file, number, err);
}

static int write_trigger(const struct journal *j, const char *file, const char *ours, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	text_printf(&t, "!%s", ours);
	ret = append(j, file, text_str(&t), err);
	text_fini(&t);
	return ret;
}

/* @now: what the file holds. */
static int put_back(const struct journal *j, const struct entry *entry, const char *now, struct ft_error *err)
{
	char *line;
	int ret = 0;

	switch (entry->kind) {
	case JOURNAL_LIST:
		return write_lines(j, entry->name, now, entry->old, err);
	case JOURNAL_SIZE:
		return write_size(j, entry->name, entry->old, err);
	case JOURNAL_TRIGGER:
		return write_trigger(j, entry->name, entry->old, err);
	case JOURNAL_VALUE:
	case JOURNAL_CHOICE:
	case JOURNAL_FILTER:
	case JOURNAL_MEASURED:
	case JOURNAL_NAMES:
		break;
	}
	line = mem_strndup(entry->old, strcspn(entry->old, "\n"));
	if (entry->kind == JOURNAL_FILTER && !strcmp(line, "none"))
		ret = replace(j, entry->name, "0", err);
	else if (entry->kind == JOURNAL_CHOICE)
		ret = replace(j, entry->name, tracefs_dir_chosen(line), err);
	else
		ret = replace(j, entry->name, line, err);
	free(line);
	return ret;
}

/* Returns 0, or -1 with a line in @notes. */
static int undo_save(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };
	struct text now = { 0 };
	int ret = 0;

	if (read_file(j, entry->name, &now, NULL) && entry->kind != JOURNAL_TRIGGER) {
		/* gone with what it belonged to, or out of reach: there is nothing to put back */
		text_fini(&now);
		return 0;
	}
	if (entry->kind == JOURNAL_TRIGGER) {
		ret = put_back(j, entry, text_str(&now), &err);
	} else if (!strcmp(text_str(&now), entry->old)) {
		ret = 0;
	} else if (entry->kind != JOURNAL_MEASURED && entry->wrote && strcmp(text_str(&now), entry->wrote) &&
		   !(entry->kind == JOURNAL_LIST && same_lists(text_str(&now), entry->wrote))) {
		text_printf(notes, "%s/%s was changed by somebody meanwhile: left as it is\n", j->root->path, entry->name);
	} else {
		ret = put_back(j, entry, text_str(&now), &err);
	}
	if (ret)
		text_printf(notes, "%s\n", err.message);
	text_fini(&now);
	return ret;
}

static int undo_dynamic(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };
	int ret = dynamic_event_remove(j->root, entry->name, &err);

	if (ret)
		text_printf(notes, "%s\n", err.message);
	return ret;
}

static int undo_instance(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };

	/* taken away at the end of the recording, or never made */
	if (!removal_of_instance(j->root, entry->name, REMOVAL_OURS, &err) || errno == ENOENT)
		return 0;
	text_printf(notes, "%s\n", err.message);
	return -1;
}

/* The list of task names is emptied by it, so it comes last, and only where nobody else has names there. */
static int undo_names(struct journal *j, const struct entry *entry, struct text *notes)
{
	struct text now = { 0 };
	bool waits = !read_file(j, entry->name, &now, NULL) && strcmp(text_str(&now), entry->old) &&
		     (!entry->wrote || !strcmp(text_str(&now), entry->wrote)) && others_trace(j->root, 0);

	if (waits)
		text_printf(notes, "%s stays at %lld: others trace now, and would lose the names of their tasks; the next recording "
			    "without others puts it back to %lld, or ftop-trace doctor --fix\n", entry->name,
			    atoll(text_str(&now)), atoll(entry->old));
	j->waits |= waits;
	text_fini(&now);
	return waits ? 0 : undo_save(j, entry, notes);
}

static int undo_all(struct journal *j, struct text *notes)
{
	int failed = 0;

	/* an event that an instance uses cannot be undefined: instances first */
	for (size_t i = j->nr; i-- > 0;)
		if (j->entries[i].what == ENTRY_INSTANCE)
			failed += undo_instance(j, &j->entries[i], notes) != 0;
	for (size_t i = j->nr; i-- > 0;) {
		const struct entry *entry = &j->entries[i];

		switch (entry->what) {
		case ENTRY_INSTANCE:
			break;
		case ENTRY_DYNAMIC:
			failed += undo_dynamic(j, entry, notes) != 0;
			break;
		case ENTRY_SAVE:
			if (entry->kind != JOURNAL_NAMES)
				failed += undo_save(j, entry, notes) != 0;
			break;
		}
	}
	j->waits = false;
	for (size_t i = j->nr; i-- > 0;)
		if (j->entries[i].what == ENTRY_SAVE && j->entries[i].kind == JOURNAL_NAMES)
			failed += undo_names(j, &j->entries[i], notes) != 0;
	return failed;
}

int journal_end(struct journal *j, struct text *notes)
{
	int failed;

	if (!j)
		return 0;
	failed = undo_all(j, notes);
	if (!failed && j->waits)
		append_line(j, "waits", "for others", NULL);
	else if (!failed)
		unlink(j->path);
	journal_free(j);
	return failed;
}

/* --- reading one from disk ---------------------------------------------------------------------------- */

/* "NAME LEN\n<bytes>\n" at *p; moves behind it.  The last entry may be cut: then there is none. */
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

/* All else has been undone, and may be somebody else's by now. */
static void keep_names(struct journal *j)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->nr; i++) {
		struct entry *entry = &j->entries[i];

		if (entry->what == ENTRY_SAVE && entry->kind == JOURNAL_NAMES)
			j->entries[kept++] = *entry;
		else
			free_entry(entry);
	}
	j->nr = kept;
	j->waits = true;
}

static bool parse_entry(struct journal *j, const char **p, const char *end)
{
	char *name = NULL, *bytes = NULL;
	struct entry *entry;

	if (take_line(p, end, "instance ", &name)) {
		add_entry(j, ENTRY_INSTANCE, name);
	} else if (take_line(p, end, "dynamic ", &name)) {
		add_entry(j, ENTRY_DYNAMIC, name);
	} else if (take_line(p, end, "again ", &name)) {
		entry = find_save(j, name);
		if (entry) {
			free(entry->wrote);
			entry->wrote = NULL;
		}
	} else if (take_line(p, end, "waits ", &name)) {
		keep_names(j);
	} else if (end - *p > 7 && !memcmp(*p, "save ", 5)) {
		int kind = (*p)[5] - '0';

		*p += 7;
		if (kind < JOURNAL_VALUE || kind > JOURNAL_NAMES || !take_blob(p, end, &name, &bytes))
			return false;
		entry = add_entry(j, ENTRY_SAVE, name);
		entry->kind = kind;
		entry->old = bytes;
	} else if (end - *p > 6 && !memcmp(*p, "wrote ", 6)) {
		*p += 6;
		if (!take_blob(p, end, &name, &bytes))
			return false;
		entry = find_save(j, name);
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

/* A name from a journal is only used below tracefs. */
static bool names_are_inside(const struct journal *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		const struct entry *entry = &j->entries[i];

		if (entry->name[0] == '/' || strstr(entry->name, "..") ||
		    (!strncmp(entry->name, JOURNAL_SYSCTL, strlen(JOURNAL_SYSCTL)) && strchr(entry->name, '/')) ||
		    (entry->what == ENTRY_INSTANCE && strchr(entry->name, '/')))
			return false;
	}
	return true;
}

/* Whether the head is one of ours, of this boot and this tracefs; moves behind it. */
static enum journal_state read_head(struct journal *j, const char **p, const char *end)
{
	char boot[OWNER_BOOT_BYTES], *line = NULL;
	unsigned long long dev, ino;
	struct stat st;
	bool good;

	if (!take_line(p, end, HEAD_LINE, &line))
		return JOURNAL_FOREIGN;
	free(line);
	if (!take_line(p, end, "boot ", &line))
		return JOURNAL_FOREIGN;
	good = !strcmp(line, owner_boot_id(boot));
	free(line);
	/* tracefs began anew since then */
	if (!good)
		return JOURNAL_OUTDATED;
	if (!take_line(p, end, "root ", &line))
		return JOURNAL_FOREIGN;
	good = sscanf(line, "%llu %llu", &dev, &ino) == 2 && !fstat(j->root->fd, &st) && st.st_dev == dev && st.st_ino == ino;
	free(line);
	return good ? JOURNAL_OF_DEAD : JOURNAL_FOREIGN;
}

/* Opened and locked; only what root wrote is believed. */
static enum journal_state lock_file(struct journal *j)
{
	struct stat st, named;

	j->fd = open(j->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_APPEND);
	if (j->fd < 0)
		return errno == ENOENT ? JOURNAL_ABSENT : JOURNAL_FOREIGN;
	if (fstat(j->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size > MAX_JOURNAL)
		return JOURNAL_FOREIGN;
	if (flock(j->fd, LOCK_EX | LOCK_NB))
		return JOURNAL_OF_LIVING;
	/* somebody may have undone and removed it while it was opened here */
	if (lstat(j->path, &named) || named.st_ino != st.st_ino || named.st_dev != st.st_dev)
		return JOURNAL_ABSENT;
	return JOURNAL_OF_DEAD;
}

static bool read_all(int fd, struct text *t)
{
	ssize_t got;

	do {
		text_reserve(t, 65536);
		t->data[t->len] = '\0';
		got = pread(fd, t->data + t->len, 65536, (off_t)t->len);
		t->len += got > 0 ? (size_t)got : 0;
		t->data[t->len] = '\0';
	} while (got > 0 && t->len <= MAX_JOURNAL);
	return !got;
}

struct journal *journal_take_over(const char *run_dir, const char *name, const struct tracefs_dir *root, enum journal_state *state)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 }, path = { 0 };
	const char *p, *end;

	text_printf(&path, "%s/%s%s", run_dir, JOURNAL_PREFIX, name);
	j->path = path.data;
	j->root = root;
	*state = lock_file(j);
	if (*state != JOURNAL_OF_DEAD)
		goto none;
	if (!read_all(j->fd, &t)) {
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
