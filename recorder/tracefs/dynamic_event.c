/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/dynamic_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "src/base/memory.h"

#define FILE_OF_ALL "dynamic_events"

/* "p:NAME ADDRESS REST" */
struct definition_parts {
	char		 kind;		/* p r; 0 = libtracefs does not support it */
	char		*address;	/* a function, or a program's file and an offset; owned */
	const char	*rest;		/* the arguments to fetch; "" = none */
};

static void split_definition(const char *definition, struct definition_parts *parts)
{
	const char *address = definition + strcspn(definition, " \t");

	address += strspn(address, " \t");
	*parts = (struct definition_parts){ .address = mem_strndup(address,
								   strcspn(address, " \t")) };
	parts->rest = address + strlen(parts->address);
	parts->rest += strspn(parts->rest, " \t");
	if (strchr("pr", definition[0]) && definition[1] == ':' && *parts->address)
		parts->kind = definition[0];
}

/* "/bin/bash:0x4245c0".  libtracefs does not support a reference counter, "(0x...)". */
static struct tracefs_dynevent *of_program(const char *system, const char *name,
					   struct definition_parts *parts)
{
	char *colon = strrchr(parts->address, ':'), *end;
	unsigned long long offset;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return NULL;
	errno = 0;
	offset = strtoull(colon + 1, &end, 0);
	if (*end || errno)
		return NULL;
	*colon = '\0';
	if (parts->kind == 'p')
		return tracefs_uprobe_alloc(system, name, parts->address, offset, parts->rest);
	return tracefs_uretprobe_alloc(system, name, parts->address, offset, parts->rest);
}

/*
 * libtracefs' object for a definition; NULL if it does not support it, or not well: whether there
 * is a file for events of events ("e:"), it asks another tracefs than ours.
 */
static struct tracefs_dynevent *make_dynevent(const char *system, const char *name,
					      const char *definition)
{
	struct tracefs_dynevent *event = NULL;
	struct definition_parts parts;

	split_definition(definition, &parts);
	if (parts.kind && *parts.address == '/')
		event = of_program(system, name, &parts);
	else if (parts.kind == 'p')
		event = tracefs_kprobe_alloc(system, name, parts.address, parts.rest);
	else if (parts.kind == 'r')
		event = tracefs_kretprobe_alloc(system, name, parts.address, parts.rest, 0);
	free(parts.address);
	return event;
}

int dynamic_event_define(const struct tracefs_dir *root, const char *system, const char *name,
			 const char *definition, struct ft_error *err)
{
	struct tracefs_dynevent *event;
	int ret, errnum;

	tracefs_dir_use(root);
	event = make_dynevent(system, name, definition);
	if (!event)
		return tracefs_dir_write(root, FILE_OF_ALL, definition, TRACEFS_DIR_APPEND, err);
	ret = tracefs_dynevent_create(event);
	errnum = errno;
	tracefs_dynevent_free(event);
	if (!ret)
		return 0;
	return tracefs_dir_refused(err, errnum, "%s: defining '%s'", root->path, definition);
}

int dynamic_event_remove(const struct tracefs_dir *root, const char *group_and_name,
			 struct ft_error *err)
{
	int ret = tracefs_dir_write(root, FILE_OF_ALL, TRACEFS_TEXT("-:%s", group_and_name),
				    TRACEFS_DIR_APPEND, err);

	/* ENOENT: never defined, or already removed */
	return ret && errno == ENOENT ? 0 : ret;
}
