/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CONFINE_H
#define FTOP_SRC_CONFINE_H
/*
 * confine - shuts this process in before it reads what others made: should a
 * damaged or hostile trace ever take it over, there is little that it can do.
 */
#include <stdbool.h>

struct confine {
	bool	files;		/* landlock: no file can be created, written, removed or executed any more, and from Linux
				   6.12 on no other process be sent a signal */
	bool	calls;		/* seccomp: no other program, no network, nothing of other processes or of the kernel, no
				   typing on the terminal */
};

/**
 * confine_to_reading() - from now on this process and its children read files, and write to what is open
 *
 * For commands that only print.  Threads and memory go on as before.  What the kernel does not have is left out: nothing
 * depends on it.
 *
 * Return: what is in force.
 */
struct confine confine_to_reading(void);

/*
 * The same, but that plain files and folders may be made, written and removed below @folders, [nr]; what is not there
 * now stays out of reach.  While no other thread runs.
 */
struct confine confine_to_folders(const char *const *folders, unsigned int nr);
#endif
