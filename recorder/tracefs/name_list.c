/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/name_list.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/options.h"

#define BLANKS " \t\n"

void name_list_add_bytes(struct name_list *list, const char *name, size_t len)
{
	mem_grow(&list->names, list->nr, &list->cap);
	list->names[list->nr++] = mem_strndup(name, len);
}

void name_list_add(struct name_list *list, const char *name)
{
	name_list_add_bytes(list, name, strlen(name));
}

void name_list_lines(struct name_list *list, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len && *text != '#')
			name_list_add_bytes(list, text, len);
		text += len + (text[len] == '\n');
	}
}

void name_list_words(struct name_list *list, const char *text)
{
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		size_t len = strcspn(text, BLANKS);

		name_list_add_bytes(list, text, len);
		text += len;
	}
}

bool name_list_has(const struct name_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void name_list_sort(struct name_list *list)
{
	if (list->nr)
		qsort(list->names, list->nr, sizeof(*list->names), compare_names);
}

void name_list_fini(struct name_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}

const char *name_list_nearest(const struct name_list *list, const char *name)
{
	return options_nearest(name, (const char *const *)list->names, (unsigned int)list->nr);
}
