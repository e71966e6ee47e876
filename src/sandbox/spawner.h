/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SANDBOX_SPAWNER_H
#define FTOP_SRC_SANDBOX_SPAWNER_H
/*
 * spawner - a process that starts helpers, which do with untrusted data what may crash.  It is
 * split off before the confinement, sees nothing of a trace, and only starts helpers, a bounded
 * number of them.  One for this process.
 *
 * A helper is confined like a command, has no terminal, 1 GiB of memory and no core file.  When it
 * has called @shut_in with -1, it has no files and no system calls but those for memory and its
 * socket, and it is not root.  With the descriptor of a folder, it may also read what is below
 * that.  Helpers end with the spawner.
 */
#include <stddef.h>

enum spawner_task {
	SPAWNER_PRINTER,		/* parsers/printer/printer_helper.h */
	SPAWNER_ELF,			/* src/symbols/elf_helper.h */
	SPAWNER_CTF,			/* parsers/ctf/ctf_helper.h */
	SPAWNER_TASKS
};

typedef void spawner_serve(int fd, void (*shut_in)(int folder));

/**
 * spawner_begin() - start the spawner
 * @serve: [SPAWNER_TASKS]: run in a helper, with its end of a socket pair, until the other end is
 *         closed
 *
 * No other thread may be running.  Without effect if no process can be started.
 */
void spawner_begin(spawner_serve *const *serve);

/* Start a helper.  Return: the other end of its socket, or -1.  Any thread. */
int spawner_start(enum spawner_task task);

/*
 * How the helper at the other end of @fd has ended: "crashed (Segmentation fault)".  One that still
 * runs is ended.  To be asked once, before @fd is closed.  @buf: room for the words.  Any thread.
 */
const char *spawner_how(int fd, char *buf, size_t size);

void spawner_end(void);		/* waits for its end */
#endif
