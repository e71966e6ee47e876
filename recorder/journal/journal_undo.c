/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_undo - restores the contents of control files, each kind in its own way, and removes
 * instances and events.
 */
#include "recorder/journal/journal_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/dynamic_event.h"
#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/others.h"
#include "recorder/tracefs/removal.h"
#include "src/base/memory.h"

static int replace_value(const struct journal *j, const char *file, const char *value,
			 struct ft_error *err)
{
	return journal_write_file(j, file, value, TRACEFS_DIR_REPLACE, err);
}

/* Append a line between what is put before and behind it. */
static int append_line(const struct journal *j, const char *file, const char *before,
		       const char *line, size_t len, const char *behind, struct ft_error *err)
{
	struct text t = { 0 };
	int ret;

	text_printf(&t, "%s%.*s%s", before, (int)len, line, behind);
	ret = journal_write_file(j, file, text_str(&t), TRACEFS_DIR_APPEND, err);
	text_fini(&t);
	return ret;
}

/*
 * In "vfs_read:traceoff:count=2", the length before the count, which the kernel changes; 0 if the
 * line is not a command.
 */
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

/* Do two texts of a list differ in counts only? */
static bool same_lists(const char *a, const char *b)
{
	while (*a && *b) {
		size_t len = command_length(a) ? command_length(a) : strcspn(a, "\n");

		if (strncmp(a, b, len) ||
		    (b[len] && !strchr(command_length(b) == len ? ":\n" : "\n", b[len])))
			return false;
		a += strcspn(a, "\n");
		b += strcspn(b, "\n");
		a += *a == '\n';
		b += *b == '\n';
	}
	return !*a && !*b;
}

/* Clearing removes functions from a list, but not commands. */
static int remove_commands(const struct journal *j, const char *file, const char *now,
			   const struct name_list *lines, struct ft_error *err)
{
	struct name_list present = { 0 };
	int ret = 0;

	name_list_lines(&present, now);
	for (size_t i = 0; i < present.nr && !ret; i++) {
		size_t len = command_length(present.names[i]);

		if (!len || has_command(lines, present.names[i]))
			continue;
		/*
		 * the kernel distinguishes commands with and without a count, but ignores the value
		 */
		ret = append_line(j, file, "!", present.names[i], len,
				  strstr(present.names[i], ":count=") ? ":0\n" : "\n", err);
	}
	name_list_fini(&present);
	return ret;
}

static int write_lines(const struct journal *j, const char *file, const char *now, const char *text,
		       struct ft_error *err)
{
	struct name_list lines = { 0 };
	int ret = replace_value(j, file, "", err);

	name_list_lines(&lines, text);
	if (!ret)
		ret = remove_commands(j, file, now, &lines, err);
	for (size_t i = 0; i < lines.nr && !ret; i++) {
		/* an empty set_ftrace_pid says so */
		if (!strcmp(lines.names[i], "no pid") || command_length(lines.names[i]))
			continue;
		/* each name ends with a blank: the kernel joins the text of successive writes */
		ret = append_line(j, file, "", lines.names[i], strlen(lines.names[i]), "\n", err);
	}
	name_list_fini(&lines);
	return ret;
}

/* "DEFAULTS" stands for all words that follow it; the kernel does not take NO_DEFAULTS. */
static int write_words(const struct journal *j, const char *file, const char *now, const char *text,
		       struct ft_error *err)
{
	struct name_list words = { 0 }, present = { 0 };
	int ret = 0;

	name_list_words(&words, text);
	name_list_words(&present, now);
	for (size_t i = 0; i < words.nr && !ret; i++)
		if (!name_list_has(&present, words.names[i]) &&
		    strcmp(words.names[i], "NO_DEFAULTS") != 0)
			ret = replace_value(j, file, words.names[i], err);
	name_list_fini(&words);
	name_list_fini(&present);
	return ret;
}

/* Restore a file.  @now: its current contents. */
static int put_back(const struct journal *j, const struct journal_entry *entry, const char *now,
		    struct ft_error *err)
{
	char *line = mem_strndup(entry->old, strcspn(entry->old, "\n"));
	int ret = 0;

	switch (entry->kind) {
	case JOURNAL_LIST:
	case JOURNAL_PIDS:
		ret = write_lines(j, entry->name, now, entry->old, err);
		break;
	case JOURNAL_SIZE:
		ret = replace_value(j, entry->name,
				    TRACEFS_TEXT("%" PRIu64, tracefs_dir_size_kb(line)), err);
		break;
	case JOURNAL_TRIGGER:
		ret = append_line(j, entry->name, "!", entry->old, strlen(entry->old), "", err);
		break;
	case JOURNAL_EVENTS:
		ret = append_line(j, entry->name, "!", entry->old, strlen(entry->old), "", err);
		/* the module is gone, and its events with it */
		if (ret && errno == EINVAL)
			ret = 0;
		break;
	case JOURNAL_FILTER:
		ret = replace_value(j, entry->name, strcmp(line, "none") ? line : "0", err);
		break;
	case JOURNAL_CHOICE:
		ret = replace_value(j, entry->name, tracefs_dir_chosen(line), err);
		break;
	case JOURNAL_WORDS:
		ret = write_words(j, entry->name, now, entry->old, err);
		break;
	case JOURNAL_VALUE:
	case JOURNAL_MEASURED:
	case JOURNAL_NAMES:
		ret = replace_value(j, entry->name, line, err);
		break;
	}
	free(line);
	return ret;
}

/* Has someone else changed the file since our last write to it? */
static bool is_of_others(const struct journal_entry *entry, const char *now)
{
	if (entry->kind == JOURNAL_MEASURED || entry->kind == JOURNAL_PIDS || !entry->wrote)
		return false;
	return strcmp(now, entry->wrote) != 0 &&
	       !(entry->kind == JOURNAL_LIST && same_lists(now, entry->wrote));
}

/* Return: 0, or -1 with a line in @notes. */
static int undo_save(const struct journal *j, const struct journal_entry *entry, struct text *notes)
{
	bool by_its_text = entry->kind == JOURNAL_TRIGGER || entry->kind == JOURNAL_EVENTS;
	struct ft_error err = { 0 };
	struct text now = { 0 };
	int ret = 0;

	if (journal_read_file(j, entry->name, &now, NULL) && !by_its_text) {
		/* gone with its owner, or out of reach: there is nothing to restore */
		text_fini(&now);
		return 0;
	}
	if (by_its_text) {
		ret = put_back(j, entry, text_str(&now), &err);
	} else if (!strcmp(text_str(&now), entry->old)) {
		ret = 0;
	} else if (is_of_others(entry, text_str(&now))) {
		text_printf(notes, "%s/%s was changed by someone else and is left as it is\n",
			    j->root->path, entry->name);
	} else {
		ret = put_back(j, entry, text_str(&now), &err);
	}
	if (ret)
		text_printf(notes, "%s\n", err.message);
	text_fini(&now);
	return ret;
}

static int undo_dynamic(const struct journal *j, const struct journal_entry *entry,
			struct text *notes)
{
	struct ft_error err = { 0 };
	int ret = dynamic_event_remove(j->root, entry->name, &err);

	if (ret)
		text_printf(notes, "%s\n", err.message);
	return ret;
}

static int undo_instance(const struct journal *j, const struct journal_entry *entry,
			 struct text *notes)
{
	struct ft_error err = { 0 };

	/* removed at the end of the recording, or never made */
	if (!removal_of_instance(j->root, entry->name, REMOVAL_OURS, &err) || errno == ENOENT)
		return 0;
	text_printf(notes, "%s\n", err.message);
	return -1;
}

/*
 * Resizing clears the list of task names, so it comes last, and only if nobody else needs the
 * names.
 */
static int undo_names(struct journal *j, const struct journal_entry *entry, struct text *notes)
{
	struct text now = { 0 };
	bool waits = !journal_read_file(j, entry->name, &now, NULL) &&
		     strcmp(text_str(&now), entry->old) &&
		     (!entry->wrote || !strcmp(text_str(&now), entry->wrote)) &&
		     others_trace(j->root, 0);

	if (waits)
		text_printf(
			notes,
			"%s stays at %lld: others are tracing and would lose the names of their tasks; the next recording "
			"or ftop-trace doctor --fix restores %lld\n",
			entry->name, atoll(text_str(&now)), atoll(entry->old));
	j->waits |= waits;
	text_fini(&now);
	return waits ? 0 : undo_save(j, entry, notes);
}

static int undo_all(struct journal *j, struct text *notes)
{
	int failed = 0;

	/* instances first: an event that an instance uses cannot be undefined */
	for (size_t i = j->nr; i-- > 0;)
		if (j->entries[i].what == JOURNAL_INSTANCE)
			failed += undo_instance(j, &j->entries[i], notes) != 0;
	for (size_t i = j->nr; i-- > 0;) {
		const struct journal_entry *entry = &j->entries[i];

		switch (entry->what) {
		case JOURNAL_INSTANCE:
			break;
		case JOURNAL_DYNAMIC:
			failed += undo_dynamic(j, entry, notes) != 0;
			break;
		case JOURNAL_SAVED:
			if (entry->kind != JOURNAL_NAMES)
				failed += undo_save(j, entry, notes) != 0;
			break;
		}
	}
	j->waits = false;
	for (size_t i = j->nr; i-- > 0;)
		if (j->entries[i].what == JOURNAL_SAVED && j->entries[i].kind == JOURNAL_NAMES)
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
		journal_append_line(j, "waits", "for others", NULL);
	else if (!failed)
		unlink(j->path);
	journal_free(j);
	return failed;
}
