/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_LAST_BOOT_H
#define FTOP_RECORDER_TRACEFS_LAST_BOOT_H
/*
 * last_boot - where the kernel and its modules were in the boot before, for the addresses in a ring
 * buffer that outlasted a reboot.
 *
 * The kernel (6.12 and later) tells it in the instance's file last_boot_info, until the buffer
 * begins to record this boot.  A kernel that places itself at random (KASLR) was somewhere else
 * then; symbols are those of now, moved to where they were.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/tracefs_dir.h"

struct last_boot_place {
	char		name[64];	/* of a module; "" = the kernel */
	uint64_t	then;		/* where its text began; 0: not known */
	uint64_t	text;		/* where its text begins now; 0: it is not loaded now */
	uint64_t	moved;		/* to be added to an address of now, for that of then */
};

struct last_boot {
	struct last_boot_place	*places;	/* owned, [nr]; the kernel first */
	size_t			 nr, cap;
	bool			 is_unclear;	/* Linux 6.12 to 6.14: it may be of this boot */
};

/**
 * last_boot_read() - does an instance hold records of the boot before, and where was its kernel?
 * @root: prefix of /proc, "" except in tests
 *
 * Return: false if it holds none; then and otherwise call last_boot_fini().
 */
bool last_boot_read(struct last_boot *last, const struct tracefs_dir *instance, const char *root);
void last_boot_fini(struct last_boot *last);

/* Where the text of the running kernel begins; 0: it is hidden. */
uint64_t last_boot_text_now(const char *root);

/*
 * Were the kernel and its modules there in a boot with these symbols and modules (texts of /proc)?
 * @has_more: set if other modules may have been loaded, too, or some of these unloaded.
 */
bool last_boot_was(const struct last_boot *last, const struct text *kallsyms,
		   const struct text *modules, bool *has_more);

/* Is all where it was then?  Then no place tells boots apart. */
bool last_boot_is_fixed(const struct last_boot *last);

/*
 * Move the addresses that lines of text begin with, as those of kallsyms and printk_formats do, to
 * where they were.  Lines of modules that had no known place are left out.  @last: NULL: nothing
 * moved.
 */
void last_boot_shift(const struct last_boot *last, struct text *text);
#endif
