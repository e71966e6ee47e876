/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/last_boot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

static struct last_boot_place *add_place(struct last_boot *last, const char *name)
{
	struct last_boot_place *place;

	mem_grow(&last->places, last->nr, &last->cap);
	place = &last->places[last->nr++];
	*place = (struct last_boot_place){ 0 };
	snprintf(place->name, sizeof(place->name), "%s", name);
	return place;
}

static const struct last_boot_place *place_of(const struct last_boot *last, const char *name,
					      size_t len)
{
	for (size_t i = 0; i < last->nr; i++)
		if (strlen(last->places[i].name) == len && !memcmp(last->places[i].name, name, len))
			return &last->places[i];
	return NULL;
}

/* --- where things are now --------------------------------------------------------------------- */

/* @symbols: as kallsyms; or NULL.  Closes it.  0: hidden, or not found. */
static uint64_t text_of_kernel(FILE *symbols)
{
	char line[1024], name[512];
	uint64_t addr, found = 0;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%" SCNx64 " %*c %511s", &addr, name) == 2 &&
		    !strcmp(name, "_text"))
			found = addr;
	if (symbols)
		fclose(symbols);
	return found;
}

/* @modules: as /proc/modules, "NAME 12345 2 - Live 0xffffffffc0a80000"; or NULL.  Closes it. */
static uint64_t text_of_module(FILE *modules, const char *wanted)
{
	char line[4096], name[64];
	uint64_t addr, found = 0;

	while (modules && !found && fgets(line, sizeof(line), modules))
		if (sscanf(line, "%63s %*s %*s %*s %*s 0x%" SCNx64, name, &addr) == 2 &&
		    !strcmp(name, wanted))
			found = addr;
	if (modules)
		fclose(modules);
	return found;
}

static FILE *open_proc(const char *root, const char *name)
{
	return fopen(TRACEFS_TEXT("%s/proc/%s", root, name), "re");
}

uint64_t last_boot_text_now(const char *root)
{
	return text_of_kernel(open_proc(root, "kallsyms"));
}

/* --- the kernel's file ------------------------------------------------------------------------ */

/*
 *   # Current                   records of this boot
 *   ffffffff9a000000 [kernel]   since 6.15: where the text of the kernel, and of modules, was
 *   ffffffffc0a80000 ext4
 *   text delta:  -268435456     6.12 to 6.14: this boot's address less that one's
 */
static void read_line(struct last_boot *last, const char *line, const char *root)
{
	struct last_boot_place *place;
	char name[64];
	int64_t delta;
	uint64_t then;

	if (sscanf(line, "text delta: %" SCNd64, &delta) == 1) {
		place = add_place(last, "");
		place->text = last_boot_text_now(root);
		place->moved = 0 - (uint64_t)delta;
		place->then = place->text ? place->text + place->moved : 0;
		last->is_unclear = !delta;
	} else if (sscanf(line, "%" SCNx64 " %63s", &then, name) == 2) {
		bool kernel = !strcmp(name, "[kernel]");

		place = add_place(last, kernel ? "" : name);
		place->text = kernel ? last_boot_text_now(root) :
				       text_of_module(open_proc(root, "modules"), name);
		place->then = then;
		place->moved = place->text ? then - place->text : 0;
	}
}

/* Before 6.15 the file does not say which boot it is: an empty buffer has a delta, too, of 0. */
bool last_boot_read(struct last_boot *last, const struct tracefs_dir *instance, const char *root)
{
	struct name_list lines = { 0 };

	*last = (struct last_boot){ 0 };
	tracefs_dir_read_lines(instance, "last_boot_info", &lines, NULL);
	for (size_t i = 0; i < lines.nr; i++)
		read_line(last, lines.names[i], root);
	name_list_fini(&lines);
	return last->nr > 0;
}

void last_boot_fini(struct last_boot *last)
{
	free(last->places);
	*last = (struct last_boot){ 0 };
}

static FILE *open_text(const struct text *text)
{
	return text->len ? fmemopen((void *)text_str(text), text->len, "r") : NULL;
}

/* Is there a module of which it is not known where it was? */
static bool lacks_module(const struct last_boot *last, const struct text *modules)
{
	bool lacks = false;

	for (const char *line = text_str(modules); *line; line += *line == '\n') {
		lacks |= !place_of(last, line, strcspn(line, " \n"));
		line += strcspn(line, "\n");
	}
	return lacks;
}

bool last_boot_was(const struct last_boot *last, const struct text *kallsyms,
		   const struct text *modules, bool *has_more)
{
	bool was = last->nr > 0;

	*has_more = lacks_module(last, modules);
	for (size_t i = 0; i < last->nr && was; i++) {
		const struct last_boot_place *place = &last->places[i];
		uint64_t text = *place->name ? text_of_module(open_text(modules), place->name) :
					       text_of_kernel(open_text(kallsyms));

		if (*place->name && !text)
			*has_more = true;
		else
			was = text && text == place->then;
	}
	return was;
}

bool last_boot_is_fixed(const struct last_boot *last)
{
	bool fixed = true;

	for (size_t i = 0; i < last->nr; i++)
		fixed &= !last->places[i].text || !last->places[i].moved;
	return fixed;
}

/* --- moving addresses ------------------------------------------------------------------------- */

/* The place that a line's address belongs to: "ffffffffc0a81230 t ext4_x\t[ext4]". */
static const struct last_boot_place *place_of_line(const struct last_boot *last, const char *line,
						   size_t len)
{
	const char *open = len && line[len - 1] == ']' ? memrchr(line, '[', len) : NULL;

	return open && open > line && open[-1] == '\t' ?
		       place_of(last, open + 1, (size_t)(line + len - 1 - open - 1)) :
		       place_of(last, "", 0);
}

static void shift_line(const struct last_boot *last, const char *line, size_t len, struct text *out)
{
	const struct last_boot_place *place = place_of_line(last, line, len);
	char *end;
	uint64_t addr = strtoull(line, &end, 16);
	bool prefixed = !strncmp(line, "0x", 2);

	if (!place || !place->text)
		return;
	/* smaller ones are no places in memory: offsets of variables of each CPU */
	if (*place->name || addr >= place->text)
		addr += place->moved;
	text_printf(out, prefixed ? "0x%" PRIx64 : "%016" PRIx64, addr);
	text_bytes(out, end, (size_t)(line + len - end));
	text_char(out, '\n');
}

void last_boot_shift(const struct last_boot *last, struct text *text)
{
	struct text out = { 0 };

	if (!last)
		return;
	for (const char *p = text_str(text); *p; p += *p == '\n') {
		size_t len = strcspn(p, "\n");

		shift_line(last, p, len, &out);
		p += len;
	}
	text_fini(text);
	*text = out;
}
