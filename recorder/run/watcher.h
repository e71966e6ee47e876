/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_WATCHER_H
#define FTOP_RECORDER_RUN_WATCHER_H
/*
 * watcher - a small process that waits for the end of the recorder.  If the recorder dies (SIGKILL,
 * no memory), the watcher appends what is left in the ring buffers to NAME.part, restores tracefs,
 * and says so on stderr.
 */
#include <sys/types.h>
#include "recorder/tracefs/invoker.h"
#include "recorder/tracefs/tracefs_dir.h"

struct watcher {
	const struct tracefs_dir	*root;
	const char			*run_dir, *part;
	int				 file;	/* NAME.part; the watcher has its lock, too */
	struct invoker			*who;	/* owns the file */
	pid_t				 pid;	/* 0: it could not be started */
	int				 holds[2];	/* a socket, whose second end the watcher
							 * has, too; -1: none */
};

/* Start it, before tracefs is changed and before there are threads; the caller filled the rest. */
void watcher_start(struct watcher *watcher);

/*
 * The watcher keeps this file open, too.  It is free_buffer: the kernel empties the ring buffer
 * when its last descriptor is closed.  So the watcher can still read the buffer after the recorder
 * died.
 * watcher_release() closes all that the watcher keeps open.
 */
void watcher_hold(const struct watcher *watcher, int fd);
void watcher_release(const struct watcher *watcher);

/* tracefs is restored: the watcher is not needed any more. */
void watcher_end(struct watcher *watcher);
#endif
