/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_wire.h"

#include <search.h>
#include <stdlib.h>

#include "src/base/memory.h"

int wire_send(int fd, const struct wire *wire, const void *bytes, int64_t until)
{
	return framing_send(fd, wire, sizeof(*wire), bytes, wire->bytes, until);
}

int wire_receive(int fd, struct wire *wire, struct text *bytes, uint32_t max, int64_t until)
{
	text_clear(bytes);
	if (framing_now() > until || framing_receive(fd, wire, sizeof(*wire), until) ||
	    wire->bytes > max)
		return -1;
	text_reserve(bytes, wire->bytes);
	if (framing_receive(fd, bytes->data, wire->bytes, until))
		return -1;
	bytes->len = wire->bytes;
	bytes->data[bytes->len] = '\0';
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *wire_keep(void **names, const char *name)
{
	char **found = tfind(name, names, compare);

	if (!found)
		found = tsearch(mem_strdup(name), names, compare);
	return found ? *found : "";
}

void wire_forget(void **names)
{
	tdestroy(*names, free);
	*names = NULL;
}
