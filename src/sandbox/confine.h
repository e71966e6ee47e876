/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_CONFINE_H
#define FTOP_SRC_SANDBOX_CONFINE_H
/*
 * confine - restricts this process before it reads untrusted files: should a damaged or hostile
 * trace take it over, it can do little harm.
 */
#include <stdbool.h>

struct confine {
	bool	files;		/* landlock: files can no longer be created, written, removed or
				 * executed, and devices and tracefs not read; from Linux 6.12, no
				 * signals to other processes */
	bool	calls;		/* seccomp: no other programs or processes, no network, no access to
				 * other processes or the kernel, no modes, owners or times of
				 * files, no typing on the terminal */
};

/*
 * Close what could be written of the descriptors that the program was started with, but stdin,
 * stdout and stderr: a confined process may write to what is open.  To call before others are
 * opened.  What can only be read stays, since the shell's <(COMMAND) is such a one.
 */
void confine_close_inherited(void);

/**
 * confine_to_reading() - restrict this process to reading files and writing to open descriptors
 *
 * For commands that only print.  Threads and memory are not affected.  Of capabilities only that to
 * read files is kept.  Protections that the kernel lacks are skipped; info and doctor report that.
 *
 * Return: the protections in force.
 */
struct confine confine_to_reading(void);

/*
 * As confine_to_reading(), but plain files and folders may be created, written and removed below
 * @folders, [nr]; a file among these may be written.  One that does not exist now stays
 * inaccessible.  No other thread may be running.
 */
struct confine confine_to_folders(const char *const *folders, unsigned int nr);

/*
 * As confine_to_reading(), but with the calls by which a helper changes its user, sets a timer and
 * confines itself further when it has loaded plugins.
 *
 * Return, as of the next two: false: this kernel can do it, but it failed: read nothing.
 */
bool confine_to_plugins(void);

/*
 * For a process that only computes, on memory and on what it reads from and writes to open
 * descriptors: nearly all other system calls fail.  Nothing can be opened.  No other thread may be
 * running.  Without seccomp it has no effect.
 */
bool confine_to_computing(void);

/*
 * As confine_to_computing(), but plain files below an open folder may be opened for reading, and
 * folders there be listed.  Without landlock, those elsewhere as well; with it, the capability to
 * read files is in force, if it is permitted.
 */
bool confine_to_folder(int folder);

/*
 * For a process that was root: permit it the capability to read files, without having it in force,
 * and none besides; or no capability.  Return: false: it failed.
 */
bool confine_permit_reading(bool permit);

/* What a kernel without one of the protections leaves open; NULL: all are in force. */
const char *confine_missing(const struct confine *confine);

/*
 * The protections in force; in a process that is not confined, those that this kernel and machine
 * allow: tried in a child, so that nothing changes for the caller.
 */
struct confine confine_try(void);
#endif
