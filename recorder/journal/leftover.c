/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/journal/leftover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/journal/journal.h"
#include "recorder/tracefs/others.h"
#include "recorder/tracefs/owner.h"
#include "recorder/tracefs/removal.h"
#include "src/base/memory.h"

const char *leftover_run_dir(void)
{
	const char *own = geteuid() ? getenv("XDG_RUNTIME_DIR") : NULL;

	return own && *own == '/' ? own : "/run/ftop-trace";
}

static struct leftover *add_item(struct leftovers *leftovers, const char *name, int pid)
{
	struct leftover *item;

	for (size_t i = 0; i < leftovers->nr; i++)
		if (!strcmp(leftovers->items[i].name, name))
			return &leftovers->items[i];
	mem_grow(&leftovers->items, leftovers->nr, &leftovers->cap);
	item = &leftovers->items[leftovers->nr++];
	*item = (struct leftover){ .name = mem_strdup(name), .pid = pid };
	return item;
}

static void add_instances(struct leftovers *leftovers, const struct name_list *names)
{
	unsigned long long start;
	int pid;

	for (size_t i = 0; i < names->nr; i++) {
		if (owner_parse(names->names[i], &pid, &start))
			add_item(leftovers, names->names[i], pid)->has_instance = true;
		else
			name_list_add(&leftovers->foreign, names->names[i]);
	}
}

static void add_journals(struct leftovers *leftovers, const char *run_dir)
{
	struct name_list names = { 0 };
	struct tracefs_dir dir;
	unsigned long long start;
	int pid;

	if (!tracefs_dir_open(&dir, run_dir, NULL))
		tracefs_dir_list(&dir, "", &names, NULL);
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.names[i] + strlen(JOURNAL_PREFIX);

		if (!strncmp(names.names[i], JOURNAL_PREFIX, strlen(JOURNAL_PREFIX)) &&
		    owner_parse(name, &pid, &start))
			add_item(leftovers, name, pid);
	}
	name_list_fini(&names);
	tracefs_dir_close(&dir);
}

/* Return: false if it is not ours, or another one's journal has it. */
static bool find_state(struct leftover *item, const struct tracefs_dir *root,
		       const struct leftover_places *places)
{
	const char *suffix = strstr(item->name, OWNER_NAMES);
	size_t len = suffix ? (size_t)(suffix - item->name) : strlen(item->name);
	const char *owner = TRACEFS_TEXT("%.*s", (int)len, item->name);
	enum journal_state state = JOURNAL_ABSENT;
	struct journal *j = journal_take_over(places->run_dir, owner, root, &state);
	bool waits = j && journal_waits(j);
	unsigned long long start = 0;
	int pid;

	journal_leave(j);
	item->has_journal = state == JOURNAL_OF_LIVING || state == JOURNAL_OF_DEAD;
	if (item->has_journal && suffix)
		return false;
	if (item->has_journal) {
		item->state = state == JOURNAL_OF_LIVING ? LEFTOVER_LIVES :
			      waits                      ? LEFTOVER_WAITS :
							   LEFTOVER_DEAD;
		return true;
	}
	owner_parse(item->name, &pid, &start);
	item->state = owner_is_seen(places->proc, pid, start) ? LEFTOVER_LIVES : LEFTOVER_UNSEEN;
	return item->has_instance;
}

static int compare_items(const void *a, const void *b)
{
	return strcmp(((const struct leftover *)a)->name, ((const struct leftover *)b)->name);
}

int leftovers_find(struct leftovers *leftovers, const struct tracefs_dir *root,
		   const struct leftover_places *places, struct ft_error *err)
{
	struct name_list names;
	int ret, errnum;
	size_t kept = 0;

	*leftovers = (struct leftovers){ 0 };
	ret = tracefs_dir_folders(root, "instances", &names, err);
	errnum = errno;
	add_instances(leftovers, &names);
	add_journals(leftovers, places->run_dir);
	name_list_fini(&names);
	for (size_t i = 0; i < leftovers->nr; i++) {
		struct leftover item = leftovers->items[i];

		if (!find_state(&item, root, places)) {
			free(item.name);
			continue;
		}
		leftovers->items[kept++] = item;
		leftovers->nr_waiting += item.state == LEFTOVER_WAITS;
		leftovers->nr_stale += item.state != LEFTOVER_LIVES && item.state != LEFTOVER_WAITS;
	}
	leftovers->nr = kept;
	if (kept)
		qsort(leftovers->items, kept, sizeof(*leftovers->items), compare_items);
	errno = errnum;
	return ret;
}

void leftovers_fini(struct leftovers *leftovers)
{
	for (size_t i = 0; i < leftovers->nr; i++)
		free(leftovers->items[i].name);
	free(leftovers->items);
	name_list_fini(&leftovers->foreign);
	*leftovers = (struct leftovers){ 0 };
}

/* The journal lists everything the recorder did, including its instance. */
static void undo_item(const struct leftover *item, const struct tracefs_dir *root,
		      const struct leftover_places *places, struct text *notes)
{
	enum journal_state state;
	struct journal *j = journal_take_over(places->run_dir, item->name, root, &state);

	/* another run may have undone it already */
	if (!j)
		return;
	text_printf(notes, "an earlier ftop-trace (pid %d) died before it restored tracefs: %s\n",
		    item->pid, journal_end(j, notes) ? "restored only in part" : "restored now");
}

static void end_waiting(const struct leftovers *left, const struct tracefs_dir *root,
			const struct leftover_places *places, struct text *notes)
{
	enum journal_state state;

	for (size_t i = 0; i < left->nr && !others_trace(root, 0); i++) {
		struct journal *j = left->items[i].state == LEFTOVER_WAITS ?
					    journal_take_over(places->run_dir, left->items[i].name,
							      root, &state) :
					    NULL;

		if (j && !journal_end(j, notes))
			text_printf(
				notes,
				"restored what recorder %d had left changed while others traced\n",
				left->items[i].pid);
	}
}

unsigned int leftovers_clean(const struct tracefs_dir *root, const struct leftover_places *places,
			     struct text *notes)
{
	struct leftovers left;
	unsigned int found = 0;

	leftovers_find(&left, root, places, NULL);
	for (size_t i = 0; i < left.nr; i++) {
		const struct leftover *item = &left.items[i];
		struct ft_error err = { 0 };

		if (item->state == LEFTOVER_LIVES || item->state == LEFTOVER_WAITS)
			continue;
		found++;
		if (item->state == LEFTOVER_DEAD)
			undo_item(item, root, places, notes);
		else if (!removal_of_instance(root, item->name, REMOVAL_UNPROVEN, &err))
			text_printf(notes, "removed instance %s of a recorder that has ended\n",
				    item->name);
		else if (errno != ENOENT)
			text_printf(notes, "not removed: %s\n", err.message);
	}
	end_waiting(&left, root, places, notes);
	leftovers_fini(&left);
	return found;
}
