/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_SAVED_BOOT_H
#define FTOP_RECORDER_TRACEFS_SAVED_BOOT_H
/*
 * saved_boot - what a ring buffer that outlasts a reboot cannot tell of the boot that filled it:
 * formats of events, and symbols.  One file for each boot, whose name is the boot's id.  Other
 * files in the folder are neither read nor removed: ours begin with a line of our own.
 *
 * The kernel numbers the events of modules and of probes as they come.  So the same number may mean
 * another event in the next boot, even with the same kernel.
 */
#include "recorder/tracefs/last_boot.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"
#include "src/base/text.h"

#define SAVED_BOOTS_FOLDER	"/var/lib/ftop-trace/boots"

/**
 * saved_boot_write() - save this boot
 * @root:   tracefs
 * @prefix: of /proc, "" except in tests
 * @folder: where to; this boot and the three that were saved last before it are kept, whatever the
 *          clock was
 * @path:   receives the name of the file
 * @removed: names of files that were removed are added, each with a newline
 *
 * Return: 0: the file is there, and on the disk; or -1 with FT_E_IO, FT_E_FORMAT if somebody else's
 * file has its name, FT_E_UNSUPPORTED if the kernel hides its symbols.
 */
int saved_boot_write(const struct tracefs_dir *root, const char *prefix, const char *folder,
		     struct text *path, struct text *removed, struct ft_error *err);

bool saved_boot_is_written(const char *folder);		/* this boot */

struct saved_boot;			/* opaque */

/*
 * The saved boots that may have filled a buffer: those whose kernel and modules were where those of
 * the buffer's boot were.  If they are several, only what they have in common is sure.  The current
 * boot is not among them.  Return: one to be freed; NULL if there is none.
 */
struct saved_boot *saved_boot_find(const struct last_boot *last, const char *folder);
void saved_boot_free(struct saved_boot *saved);		/* NULL is allowed */

/*
 * A file of that boot: "printk_formats", "saved_cmdlines", "kallsyms", "uname"; "" if it had none.
 * Of several boots, the lines at its beginning that all have.
 */
void saved_boot_file(const struct saved_boot *saved, const char *name, struct text *out);

/*
 * The formats that the buffer's boot had for sure.  If it loaded or unloaded modules after it was
 * saved, others may have taken their numbers, so formats of modules are not among them.  Return:
 * how many formats are not sure.
 */
unsigned int saved_boot_formats(const struct saved_boot *saved,
				void (*add)(void *arg, const char *system,
					    const struct text *format),
				void *arg);

/* Add lines for the user: which boot it was, and what is not sure.  @unsure: formats. */
void saved_boot_tell(const struct saved_boot *saved, unsigned int unsure, struct text *out);
#endif
