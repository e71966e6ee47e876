/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_TRACEFS_DIR_H
#define FTOP_RECORDER_TRACEFS_TRACEFS_DIR_H
/*
 * tracefs_dir - the folder of control files, and reading and writing them.
 *
 * The folder is the kernel's, one of its instances, or in tests any folder with files of these
 * names.  libtracefs changes settings; it gets our descriptor as the folder (/proc/self/fd/N), so
 * that it uses the one that was opened whatever is mounted, and never mounts one itself.  If the
 * kernel refuses, the error names the file, the value and the errno; the cause is left to others
 * (refusal.h).
 *
 * Every function that fails leaves errno as the system set it (0 if no system call failed), in
 * addition to the error.
 */
#include <stdbool.h>
#include "recorder/tracefs/name_list.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct tracefs_instance;		/* libtracefs' */

struct tracefs_dir {
	char	*path;		/* owned, without a final slash; for messages */
	int	 fd;		/* O_PATH; every file is opened below it */
	struct tracefs_instance *lib;	/* libtracefs' handle of this folder; owned */
};

/*
 * How a value is written.  REPLACE empties list files with O_TRUNC first.  That also clears trigger
 * (all triggers), dynamic_events and *_events (everyone's probes) and trace (the recorded data):
 * append to these.
 */
enum tracefs_dir_mode { TRACEFS_DIR_REPLACE, TRACEFS_DIR_APPEND };

/**
 * tracefs_dir_find() - find where tracefs is mounted
 * @mounts: a file like /proc/self/mounts, or NULL for that file
 * @path:   receives the folder: a tracefs (preferably /sys/kernel/tracing), else "tracing" in a
 *        debugfs
 *
 * Return: 0, or -1 with FT_E_IO and errno ENODEV; the error has the command that mounts one.
 */
int tracefs_dir_find(const char *mounts, struct text *path, struct ft_error *err);

/**
 * tracefs_dir_open() - open a folder of control files
 * @root: its path, or NULL for that of tracefs_dir_find()
 *
 * Return: 0, or -1 with FT_E_IO.  Call tracefs_dir_close() after success.
 */
int tracefs_dir_open(struct tracefs_dir *dir, const char *root, struct ft_error *err);

/* Open a folder below another one, such as "instances/NAME". */
int tracefs_dir_open_below(struct tracefs_dir *dir, const struct tracefs_dir *parent,
			   const char *name, struct ft_error *err);
/* a zeroed one, or one that failed to open, is allowed */
void tracefs_dir_close(struct tracefs_dir *dir);

/*
 * Make or remove instances/NAME below @root.  The kernel does not remove an instance that is in use
 * (EBUSY).  Return: 0, or -1 with errno; EEXIST if the folder exists already.
 */
int tracefs_dir_make_instance(const struct tracefs_dir *root, const char *name);
int tracefs_dir_remove_instance(const struct tracefs_dir *root, const char *name);

/*
 * Make @root the folder for libtracefs' functions without an instance, such as those for dynamic
 * events.
 */
void tracefs_dir_use(const struct tracefs_dir *root);

/* openat(2) of @file with O_CLOEXEC: a descriptor, or -1. */
int tracefs_dir_file(const struct tracefs_dir *dir, const char *file, int flags,
		     struct ft_error *err);

bool tracefs_dir_has(const struct tracefs_dir *dir, const char *file);

/**
 * tracefs_dir_read() - read the whole text of a control file of any size
 * @out: receives the text, including the final newline; cleared first
 *
 * Never waits (O_NONBLOCK).  Return: 0, or -1 with FT_E_IO, or FT_E_LIMIT beyond 256 MiB.
 */
int tracefs_dir_read(const struct tracefs_dir *dir, const char *file, struct text *out,
		     struct ft_error *err);

/* Read a whole control file, without the blanks and newlines at its end. */
int tracefs_dir_read_line(const struct tracefs_dir *dir, const char *file, struct text *out,
			  struct ft_error *err);

/* The first line without its newline, as an owned string; NULL with errno if it cannot be read. */
char *tracefs_dir_line(const struct tracefs_dir *dir, const char *file);

/*
 * In a line like trace_clock's, "local [mono] boot", the entry in brackets, modified in place;
 * without brackets, the first word.
 */
char *tracefs_dir_chosen(char *line);

/*
 * The beginning of any file below the folder @at, or of a path with AT_FDCWD, as a string that fits
 * into @buf; "" and false if it cannot be read.
 */
bool tracefs_dir_read_into(int at, const char *path, char *buf, size_t size);

/* The size of a buffer in use, in KiB: 1408 if buffer_size_kb says "7 (expanded: 1408)". */
uint64_t tracefs_dir_size_kb(const char *text);

/* The number that a file begins with ("7 (expanded: 1408)" is 7); FT_E_FORMAT if there is none. */
int tracefs_dir_read_number(const struct tracefs_dir *dir, const char *file, long long *value,
			    struct ft_error *err);

/**
 * tracefs_dir_write() - write a value to a control file with one write(2)
 *
 * The kernel parses each write(2) separately, so a value is never split; only lists of functions
 * are consumed word by word.
 *
 * Return: 0, or -1 with FT_E_IO: "PATH/FILE: writing 'VALUE': EPERM (Operation not permitted)".
 */
int tracefs_dir_write(const struct tracefs_dir *dir, const char *file, const char *value,
		      enum tracefs_dir_mode mode, struct ft_error *err);
int tracefs_dir_write_number(const struct tracefs_dir *dir, const char *file, long long value,
			     struct ft_error *err);

/*
 * Names in a folder ("" for this one) without . and .., sorted; call name_list_fini() even after a
 * failure.
 */
int tracefs_dir_list(const struct tracefs_dir *dir, const char *folder, struct name_list *names,
		     struct ft_error *err);

/* The sub-folders only: systems of events, instances… */
int tracefs_dir_folders(const struct tracefs_dir *dir, const char *folder, struct name_list *names,
			struct ft_error *err);

/*
 * Words of a file separated by blanks and newlines, in the file's order (available_tracers,
 * available_events…); or its lines without those that begin with '#'.  Call name_list_fini() even
 * after a failure.
 */
int tracefs_dir_read_words(const struct tracefs_dir *dir, const char *file, struct name_list *names,
			   struct ft_error *err);
int tracefs_dir_read_lines(const struct tracefs_dir *dir, const char *file, struct name_list *names,
			   struct ft_error *err);

/* Does the kernel's help text, the file README, contain these words? */
bool tracefs_dir_explains(const struct tracefs_dir *root, const char *words);
#define TRACEFS_WATCH_PROBES	" w[:"	/* "w[:[<group>/][<event>]] [r|w|rw]@<addr>[:<len>]" */

/*
 * "EPERM", or "errno 123" if its name is not known; valid until the next call in the same thread.
 */
const char *tracefs_dir_errno(int errnum);

/* Set the error "WHAT: EPERM (Operation not permitted)", and errno.  Return: -1. */
int tracefs_dir_refused(struct ft_error *err, int errnum, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* A path or value, TRACEFS_TEXT("options/%s", name); valid in the block where it stands. */
#define TRACEFS_TEXT(...) tracefs_dir_text((char[TRACEFS_TEXT_BYTES]){ 0 }, __VA_ARGS__)
#define TRACEFS_TEXT_BYTES 1024
const char *tracefs_dir_text(char text[static TRACEFS_TEXT_BYTES], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
#endif
