/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_SPAWNER_H
#define FTOP_SRC_SANDBOX_SPAWNER_H
/*
 * spawner - a process that starts helpers, which do with untrusted data what may crash.  It is
 * split off before the confinement, sees nothing of a trace, and only starts helpers and creates
 * temporary files, a bounded number of them.  One for this process.
 *
 * A helper is confined like a command, has no terminal, 1 GiB of memory and no core file.  When it
 * has called @shut_in with -1, it has no files and no system calls but those for memory and its
 * socket, and it is not root.  With the descriptor of a folder, it may also read what is below
 * that.  Helpers end with the spawner.
 */
#include <stdbool.h>
#include <stddef.h>

enum spawner_task {
	SPAWNER_PRINTER,		/* parsers/printer/printer_helper.h */
	SPAWNER_ELF,			/* src/symbols/elf_helper.h */
	SPAWNER_CTF,			/* parsers/ctf/ctf_helper.h */
	SPAWNER_TASKS
};

typedef void spawner_serve(int fd, void (*shut_in)(int folder));

#define SPAWNER_WHERE	256

/* Create a file without a name.  @where: set to its folder.  Return: a descriptor, or -1. */
typedef int spawner_make(char where[SPAWNER_WHERE]);

/**
 * spawner_begin() - start the spawner
 * @serve: [SPAWNER_TASKS]: run in a helper, with its end of a socket pair, until the other end is
 *         closed
 * @make: run in the spawner by spawner_file(); may be NULL
 *
 * No other thread may be running.  Without effect if no process can be started.
 */
void spawner_begin(spawner_serve *const *serve, spawner_make *make);

/*
 * Before spawner_begin(): a helper may read this folder with root's capability to read files, which
 * then is the spawner's alone (confine_permit_reading()).  Return: false: it is no folder.
 */
bool spawner_may_read(int folder);

/* Start a helper.  Return: the other end of its socket, or -1.  Any thread. */
int spawner_start(enum spawner_task task);

/* What @make of spawner_begin() has made.  Any thread. */
int spawner_file(char where[SPAWNER_WHERE]);

/*
 * How the helper at the other end of @fd has ended: "crashed (Segmentation fault)".  One that still
 * runs is ended.  To be asked once, before @fd is closed.  @buf: room for the words.  Any thread.
 */
const char *spawner_how(int fd, char *buf, size_t size);

void spawner_end(void);		/* waits for its end */
#endif
