/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/control.h"
#include "src/memory.h"

#define HEAD		"ftop-trace journal 1\n"
#define INSTANCE_PREFIX	"ftop-"
#define MAX_JOURNAL	(64u << 20)
#define RMDIR_TRIES	20
#define RMDIR_WAIT_US	50000

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
	char		*root;
	int		 fd;			/* -1: read from disk, only to be undone */
	struct entry	*entries;
	size_t		 nr, cap;
};

/* --- processes ----------------------------------------------------------------------------------- */

/* When a process began, in ticks since boot: with its pid it names the process for good.  0: there is none. */
static uint64_t start_time(long pid)
{
	char path[64], line[1024];
	uint64_t start = 0;
	char *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* the name in field 2 may hold blanks and brackets: count from the last one */
	if (fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		if (sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
			   &start) != 1)
			start = 0;
	fclose(f);
	return start;
}

void journal_instance_name(char *name, size_t size)
{
	snprintf(name, size, INSTANCE_PREFIX "%ld-%" PRIu64, (long)getpid(), start_time(getpid()));
}

static bool owner_lives(long pid, uint64_t start)
{
	return start && start_time(pid) == start;
}

/* --- writing --------------------------------------------------------------------------------------- */

static int append_bytes(struct journal *j, const struct text *t, struct ft_error *err)
{
	ssize_t put = write(j->fd, t->data, t->len);

	if (put != (ssize_t)t->len || fdatasync(j->fd))
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

struct journal *journal_new(const char *run_dir, const char *root, struct ft_error *err)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 };
	char path[4096];

	if (mkdir(run_dir, 0700) && errno != EEXIST) {
		ft_error_errno(err, errno, -1, "%s: cannot make the folder of the journal", run_dir);
		free(j);
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/journal-%ld", run_dir, (long)getpid());
	j->path = mem_strdup(path);
	j->root = mem_strdup(root);
	/* an older process of this number is gone, and its journal was undone by journal_recover() */
	j->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0600);
	if (j->fd < 0) {
		ft_error_errno(err, errno, -1, "%s: cannot make the journal", path);
		goto fail;
	}
	text_printf(&t, HEAD "owner %ld %" PRIu64 "\nroot %s\n", (long)getpid(), start_time(getpid()), root);
	if (append_bytes(j, &t, err)) {
		unlink(path);
		close(j->fd);
		goto fail;
	}
	text_fini(&t);
	return j;
fail:
	text_fini(&t);
	free(j->path);
	free(j->root);
	free(j);
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

	/* a trigger is taken off by its own words: what else the file holds does not matter */
	if (!entry || kind == JOURNAL_TRIGGER) {
		ret = kind == JOURNAL_TRIGGER ? 0 : control_read(j->root, file, &t, err);
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
		ret = append ? control_append(j->root, file, value, err) : control_write(j->root, file, value, err);
	errnum = errno;
	text_clear(&t);
	if (entry && !control_read(j->root, file, &t, NULL) && note_written(j, entry, text_str(&t), ret ? NULL : err))
		ret = -1;
	text_fini(&t);
	errno = errnum;
	return ret;
}

int journal_save(struct journal *j, enum journal_kind kind, const char *file, struct ft_error *err)
{
	struct text t = { 0 };
	int ret = 0;

	if (!find_save(j, file) && !control_read(j->root, file, &t, NULL))
		ret = save(j, kind, file, text_str(&t), err);
	text_fini(&t);
	return ret;
}

int journal_note(struct journal *j, const char *file, struct ft_error *err)
{
	struct entry *entry = find_save(j, file);
	struct text t = { 0 };
	int ret = 0;

	if (entry && !control_read(j->root, file, &t, NULL))
		ret = note_written(j, entry, text_str(&t), err);
	text_fini(&t);
	return ret;
}

/* --- undoing ---------------------------------------------------------------------------------------- */

static int write_lines(const char *root, const char *file, const char *text, struct ft_error *err)
{
	struct name_list lines = { 0 };
	int ret = control_write(root, file, "", err);

	name_list_lines(&lines, text);
	for (size_t i = 0; i < lines.nr && !ret; i++) {
		/* set_ftrace_pid says so where it holds none */
		if (!strcmp(lines.names[i], "no pid"))
			continue;
		/* each name ends with a blank: the kernel joins what stands in two writes */
		struct text line = { 0 };

		text_printf(&line, "%s\n", lines.names[i]);
		ret = control_append(root, file, text_str(&line), err);
		text_fini(&line);
	}
	name_list_fini(&lines);
	return ret;
}

static int write_size(const char *root, const char *file, const char *old, struct ft_error *err)
{
	const char *expanded = strstr(old, "expanded: ");
	char number[32];

	snprintf(number, sizeof(number), "%" PRIu64, (uint64_t)strtoull(expanded ? expanded + 10 : old, NULL, 10));
	return control_write(root, file, number, err);
}

static int write_trigger(const char *root, const char *file, const char *ours, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	text_printf(&t, "!%s", ours);
	ret = control_write(root, file, text_str(&t), err);
	text_fini(&t);
	return ret;
}

static int put_back(const char *root, const struct entry *entry, struct ft_error *err)
{
	char *line;
	int ret = 0;

	switch (entry->kind) {
	case JOURNAL_LIST:
		return write_lines(root, entry->name, entry->old, err);
	case JOURNAL_SIZE:
		return write_size(root, entry->name, entry->old, err);
	case JOURNAL_TRIGGER:
		return write_trigger(root, entry->name, entry->old, err);
	case JOURNAL_VALUE:
	case JOURNAL_CHOICE:
	case JOURNAL_FILTER:
		break;
	}
	line = mem_strndup(entry->old, strcspn(entry->old, "\n"));
	if (entry->kind == JOURNAL_FILTER && !strcmp(line, "none"))
		ret = control_write(root, entry->name, "0", err);
	else if (entry->kind == JOURNAL_CHOICE)
		ret = control_write(root, entry->name, control_chosen(line), err);
	else
		ret = control_write(root, entry->name, line, err);
	free(line);
	return ret;
}

/* Returns 0, or -1 with a line in @notes. */
static int undo_save(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };
	struct text now = { 0 };
	int ret = 0;

	if (control_read(j->root, entry->name, &now, NULL) && entry->kind != JOURNAL_TRIGGER) {
		/* gone with what it belonged to, or out of reach: there is nothing to put back */
		text_fini(&now);
		return 0;
	}
	if (entry->kind == JOURNAL_TRIGGER) {
		ret = put_back(j->root, entry, &err);
	} else if (!strcmp(text_str(&now), entry->old)) {
		ret = 0;
	} else if (entry->wrote && strcmp(text_str(&now), entry->wrote)) {
		text_printf(notes, "%s/%s was changed by somebody meanwhile: left as it is\n", j->root, entry->name);
	} else {
		ret = put_back(j->root, entry, &err);
	}
	if (ret)
		text_printf(notes, "%s\n", err.message);
	text_fini(&now);
	return ret;
}

/* Take all lines off a trigger file; a histogram that another one uses goes after it. */
static void clear_triggers(const char *path, const char *system, const char *event)
{
	struct name_list lines = { 0 };
	struct text t = { 0 };
	char file[512];

	snprintf(file, sizeof(file), "events/%s/%s/trigger", system, event);
	if (!control_read(path, file, &t, NULL))
		name_list_lines(&lines, text_str(&t));
	for (size_t i = lines.nr; i-- > 0;) {
		char *active = strstr(lines.names[i], " [active]");

		if (active)
			*active = '\0';
		text_clear(&t);
		text_printf(&t, "!%s", lines.names[i]);
		control_append(path, file, text_str(&t), NULL);
	}
	name_list_fini(&lines);
	text_fini(&t);
}

static void clear_all_triggers(const char *path)
{
	struct name_list systems = { 0 };

	control_list(path, "events", true, &systems);
	for (size_t i = 0; i < systems.nr; i++) {
		struct name_list events = { 0 };
		char dir[256];

		snprintf(dir, sizeof(dir), "events/%s", systems.names[i]);
		control_list(path, dir, true, &events);
		for (size_t k = 0; k < events.nr; k++)
			clear_triggers(path, systems.names[i], events.names[k]);
		name_list_fini(&events);
	}
	name_list_fini(&systems);
}

int journal_remove_instance(const char *path, struct ft_error *err)
{
	control_write(path, "tracing_on", "0", NULL);
	control_write(path, "events/enable", "0", NULL);
	control_write(path, "current_tracer", "nop", NULL);
	for (int i = 0; i < RMDIR_TRIES; i++) {
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		/* triggers hold an instance; some of them each other */
		if (i < 3)
			clear_all_triggers(path);
		usleep(RMDIR_WAIT_US);
	}
	return ft_error_errno(err, errno, -1, "%s: cannot remove the instance%s", path,
			      errno == EBUSY ? " (somebody holds one of its files open)" : "");
}

static int undo_dynamic(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };
	int ret;

	text_printf(&t, "-:%s", entry->name);
	ret = control_append(j->root, "dynamic_events", text_str(&t), &err);
	if (ret && errno == ENOENT)
		ret = 0;		/* never defined, or gone already */
	if (ret)
		text_printf(notes, "%s\n", err.message);
	text_fini(&t);
	return ret;
}

static int undo_instance(const struct journal *j, const struct entry *entry, struct text *notes)
{
	struct ft_error err = { 0 };
	struct text path = { 0 };
	int ret;

	text_printf(&path, "%s/instances/%s", j->root, entry->name);
	ret = journal_remove_instance(text_str(&path), &err);
	if (ret)
		text_printf(notes, "%s\n", err.message);
	text_fini(&path);
	return ret;
}

static int undo_all(const struct journal *j, struct text *notes)
{
	int failed = 0;

	for (size_t i = j->nr; i-- > 0;) {
		const struct entry *entry = &j->entries[i];

		switch (entry->what) {
		case ENTRY_INSTANCE:
			failed += undo_instance(j, entry, notes) != 0;
			break;
		case ENTRY_DYNAMIC:
			failed += undo_dynamic(j, entry, notes) != 0;
			break;
		case ENTRY_SAVE:
			failed += undo_save(j, entry, notes) != 0;
			break;
		}
	}
	return failed;
}

static void journal_free(struct journal *j)
{
	for (size_t i = 0; i < j->nr; i++) {
		free(j->entries[i].name);
		free(j->entries[i].old);
		free(j->entries[i].wrote);
	}
	if (j->fd >= 0)
		close(j->fd);
	free(j->entries);
	free(j->path);
	free(j->root);
	free(j);
}

int journal_end(struct journal *j, struct text *notes)
{
	int failed;

	if (!j)
		return 0;
	failed = undo_all(j, notes);
	if (!failed)
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
	} else if (end - *p > 7 && !memcmp(*p, "save ", 5)) {
		int kind = (*p)[5] - '0';

		*p += 7;
		if (kind < JOURNAL_VALUE || kind > JOURNAL_TRIGGER || !take_blob(p, end, &name, &bytes))
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
		    (entry->what == ENTRY_INSTANCE && strchr(entry->name, '/')))
			return false;
	}
	return true;
}

/* NULL: not a journal, or one of another root.  Sets who wrote it. */
static struct journal *journal_load(const char *path, const char *root, long *pid, uint64_t *start)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct text t = { 0 };
	char *word = NULL;
	const char *p, *end;
	struct stat st;
	bool good;

	j->fd = -1;
	j->path = mem_strdup(path);
	j->root = mem_strdup(root);
	/* only what root wrote is believed */
	good = !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_size < MAX_JOURNAL &&
	       !control_read(path, "", &t, NULL);
	p = text_str(&t);
	end = p + t.len;
	good = good && take_line(&p, end, "ftop-trace journal 1", &word);
	free(word);
	word = NULL;
	good = good && take_line(&p, end, "owner ", &word) && sscanf(word, "%ld %" SCNu64, pid, start) == 2;
	free(word);
	word = NULL;
	good = good && take_line(&p, end, "root ", &word) && !strcmp(word, root);
	free(word);
	while (good && p < end && parse_entry(j, &p, end))
		;
	good = good && names_are_inside(j);
	text_fini(&t);
	if (good)
		return j;
	journal_free(j);
	return NULL;
}

static int recover_journals(const char *run_dir, const char *root, bool apply, struct text *notes)
{
	struct name_list files = { 0 };
	int found = 0;

	control_list(run_dir, "", false, &files);
	for (size_t i = 0; i < files.nr; i++) {
		struct text path = { 0 };
		struct journal *j;
		uint64_t start;
		long pid;

		text_printf(&path, "%s/%s", run_dir, files.names[i]);
		j = strncmp(files.names[i], "journal-", 8) ? NULL : journal_load(text_str(&path), root, &pid, &start);
		text_fini(&path);
		if (!j)
			continue;
		if (owner_lives(pid, start)) {
			journal_free(j);
			continue;
		}
		found++;
		text_printf(notes, "recorder %ld ended without putting tracefs back: %s\n", pid,
			    apply ? "done now" : "ftop-trace doctor --fix does it");
		if (apply)
			journal_end(j, notes);
		else
			journal_free(j);
	}
	name_list_fini(&files);
	return found;
}

static int recover_instances(const char *root, bool apply, struct text *notes)
{
	struct name_list instances = { 0 };
	int found = 0;

	control_list(root, "instances", true, &instances);
	for (size_t i = 0; i < instances.nr; i++) {
		struct ft_error err = { 0 };
		struct text path = { 0 };
		uint64_t start;
		long pid;
		int used = 0;

		if (sscanf(instances.names[i], INSTANCE_PREFIX "%ld-%" SCNu64 "%n", &pid, &start, &used) != 2 ||
		    instances.names[i][used] || owner_lives(pid, start))
			continue;
		found++;
		text_printf(&path, "%s/instances/%s", root, instances.names[i]);
		if (apply && journal_remove_instance(text_str(&path), &err))
			text_printf(notes, "%s\n", err.message);
		else
			text_printf(notes, "instance %s of a recorder that is gone: %s\n", instances.names[i],
				    apply ? "removed" : "ftop-trace doctor --fix removes it");
		text_fini(&path);
	}
	name_list_fini(&instances);
	return found;
}

int journal_recover(const char *run_dir, const char *root, bool apply, struct text *notes)
{
	/* an event that an instance uses cannot be undefined: instances first */
	int found = recover_instances(root, apply, notes);

	return found + recover_journals(run_dir, root, apply, notes);
}
