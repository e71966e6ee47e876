/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_DIR_H
#define FTOP_RECORDER_TRACEFS_DIR_H
/*
 * tracefs_dir - the folder of control files, and how one reads and writes them.
 *
 * The folder is that of the kernel, of one of its instances, or in tests any
 * folder with files of these names.  What is set is set by libtracefs, which is
 * given our descriptor as the folder (/proc/self/fd/N): so it reaches the one that
 * was opened, though another is mounted or none, and never mounts one itself.  Says
 * which file, which value and which errno when the kernel refuses; why it refuses
 * is for others to find out.
 *
 * Every function that fails leaves errno as the system set it (0 where the
 * system had no part in the failure), beside the error.
 */
#include <stdbool.h>
#include "recorder/tracefs/name_list.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct tracefs_instance;		/* libtracefs' */

struct tracefs_dir {
	char	*path;		/* owned, without a final slash; for messages */
	int	 fd;		/* O_PATH; every file is opened below it */
	struct tracefs_instance *lib;	/* the same folder for libtracefs; owned */
};

/*
 * How a value is written.  Files that are lists are emptied by O_TRUNC first, and so are trigger (of all triggers),
 * dynamic_events and *_events (of everybody's probes) and trace (of what was recorded): append to these.
 */
enum tracefs_dir_mode { TRACEFS_DIR_REPLACE, TRACEFS_DIR_APPEND };

/**
 * tracefs_dir_find() - where tracefs is mounted
 * @mounts: a file as /proc/self/mounts, or NULL for that one
 * @path:   receives the folder: a tracefs (/sys/kernel/tracing rather than another), else the "tracing" of a debugfs
 *
 * Return: 0, or -1 with FT_E_IO and the command that mounts one, errno ENODEV.
 */
int tracefs_dir_find(const char *mounts, struct text *path, struct ft_error *err);

/**
 * tracefs_dir_open() - begin to use a folder of control files
 * @root: its path, or NULL for the one of tracefs_dir_find()
 *
 * Return: 0 (end with tracefs_dir_close()), or -1 with FT_E_IO.
 */
int tracefs_dir_open(struct tracefs_dir *dir, const char *root, struct ft_error *err);

/* A folder below another, "instances/NAME" say, as a folder of its own. */
int tracefs_dir_open_below(struct tracefs_dir *dir, const struct tracefs_dir *parent, const char *name, struct ft_error *err);
void tracefs_dir_close(struct tracefs_dir *dir);	/* a zeroed or failed one is allowed */

/*
 * Make instances/NAME of the folder @root, or remove it.  The kernel removes none that is in use (EBUSY).  Return 0, or -1
 * with errno; a folder that was there already is EEXIST.
 */
int tracefs_dir_make_instance(const struct tracefs_dir *root, const char *name);
int tracefs_dir_remove_instance(const struct tracefs_dir *root, const char *name);

/* From here on @root is what libtracefs' functions without an instance mean: those of dynamic events. */
void tracefs_dir_use(const struct tracefs_dir *root);

/* openat(2) of FILE with O_CLOEXEC: a descriptor, or -1. */
int tracefs_dir_file(const struct tracefs_dir *dir, const char *file, int flags, struct ft_error *err);

bool tracefs_dir_has(const struct tracefs_dir *dir, const char *file);

/**
 * tracefs_dir_read() - the whole text of a control file, of whatever size
 * @out: cleared, then filled as the kernel gave it, with the final newline
 *
 * Never waits (O_NONBLOCK).  Return: 0, or -1 with FT_E_IO, or FT_E_LIMIT beyond 256 MiB.
 */
int tracefs_dir_read(const struct tracefs_dir *dir, const char *file, struct text *out, struct ft_error *err);

/* The same without blanks and newlines at its end. */
int tracefs_dir_read_line(const struct tracefs_dir *dir, const char *file, struct text *out, struct ft_error *err);

/* The first line without its end, as an owned string; NULL with errno where it cannot be read. */
char *tracefs_dir_line(const struct tracefs_dir *dir, const char *file);

/* Of a line as trace_clock has it, "local [mono] boot", the entry in brackets, in place; else its first word. */
char *tracefs_dir_chosen(char *line);

/* The number a file begins with ("7 (expanded: 1408)" is 7); FT_E_FORMAT if there is none. */
int tracefs_dir_read_number(const struct tracefs_dir *dir, const char *file, long long *value, struct ft_error *err);

/**
 * tracefs_dir_write() - give a control file one value, with one write(2)
 *
 * The kernel parses each write(2) by itself, so a value is never split by us; of a list of functions the kernel takes a
 * word at a time.
 *
 * Return: 0, or -1 with FT_E_IO: "PATH/FILE: writing 'VALUE': EPERM (Operation not permitted)".
 */
int tracefs_dir_write(const struct tracefs_dir *dir, const char *file, const char *value, enum tracefs_dir_mode mode,
		      struct ft_error *err);
int tracefs_dir_write_number(const struct tracefs_dir *dir, const char *file, long long value, struct ft_error *err);

/* Names in a folder ("" for itself) without . and .., sorted; end with name_list_fini(), also on failure. */
int tracefs_dir_list(const struct tracefs_dir *dir, const char *folder, struct name_list *names,
		     struct ft_error *err);

/* The folders among them: systems of events, instances… */
int tracefs_dir_folders(const struct tracefs_dir *dir, const char *folder, struct name_list *names, struct ft_error *err);

/* Words of a file parted by blanks and newlines, in its order (available_tracers, available_events…). */
int tracefs_dir_read_words(const struct tracefs_dir *dir, const char *file, struct name_list *names,
			   struct ft_error *err);

/* "EPERM", or "errno 123" for one without a name here; valid until the next call of the same thread. */
const char *tracefs_dir_errno(int errnum);
#endif
