/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/journal/leftover.h"
#include "recorder/output/output.h"
#include "recorder/tracefs/owner.h"
#include "src/base/await.h"
#include "src/base/framing.h"

#define LOOK_MS	200	/* on kernels without pidfds (before 5.3) */

struct dead {
	const struct tracefs_dir	*root;
	char				 name[OWNER_NAME_BYTES];	/* its first instance */
};

static void wait_for_end(pid_t recorder)
{
	struct pollfd pfd = { .fd = (int)syscall(SYS_pidfd_open, recorder, 0), .events = POLLIN };

	while (getppid() == recorder)
		poll(&pfd, pfd.fd >= 0, pfd.fd >= 0 ? -1 : LOOK_MS);
}

static int open_raw(void *arg, const char *buffer, int cpu)
{
	struct dead *dead = arg;
	const char *own = TRACEFS_TEXT("instances/%s", *buffer ? buffer : dead->name);
	char *folder = strdup(tracefs_dir_has(dead->root, own) ? own : ".");
	const char *file = TRACEFS_TEXT("%s/per_cpu/cpu%d/trace_pipe_raw", folder, cpu);
	int fd;

	if (strcmp(folder, "."))	/* the journal restores the top one's */
		tracefs_dir_write(dead->root, TRACEFS_TEXT("%s/tracing_on", folder), "0",
				  TRACEFS_DIR_REPLACE, NULL);
	fd = tracefs_dir_file(dead->root, file, O_RDONLY | O_NONBLOCK, NULL);
	free(folder);
	return fd;
}

/* What the recorder would have done at its end. */
static void restore(const struct watcher *w, struct dead *dead)
{
	const struct leftover_places places = { .run_dir = w->run_dir, .proc = "/proc" };
	struct text notes = { 0 }, shown = { 0 };
	struct ft_error err = { 0 };
	uint64_t bytes = 0;

	text_add(&notes, "ftop-trace: the recorder has died\n");
	if (!output_salvage(w->part, w->file, w->who, open_raw, dead, &bytes, &err))
		text_printf(&notes, "what it recorded is in %s: ftop-trace recover %s\n", w->part,
			    w->part);
	if (w->holds[1] >= 0)
		close(w->holds[1]);
	leftovers_clean(w->root, &places, &notes);
	text_terminal(&shown, text_str(&notes), notes.len, true);
	fputs(text_str(&shown), stderr);
}

/*
 * Of the recorder's descriptors to others only stderr is kept open, so that their readers see their
 * end.  What was sent to holds[1] is open as long as that is.
 */
static void watch(const struct watcher *w, struct dead *dead, pid_t recorder)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "ftop-watcher");
	for (int fd = 0, nr = (int)sysconf(_SC_OPEN_MAX); fd < nr && fd < 1024; fd++)
		if (fd != STDERR_FILENO && fd != w->root->fd && fd != w->file && fd != w->holds[1])
			close(fd);
	wait_for_end(recorder);
	restore(w, dead);
}

void watcher_start(struct watcher *w)
{
	struct dead dead = { .root = w->root };
	pid_t recorder = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, w->holds))
		w->holds[0] = w->holds[1] = -1;
	if (owner_name(dead.name, sizeof(dead.name), NULL))
		return;
	w->pid = fork();
	if (!w->pid) {
		watch(w, &dead, recorder);
		_exit(0);
	}
	if (w->pid < 0)
		w->pid = 0;	/* the next run restores what this one leaves */
}

/* If it cannot be sent, the kernel empties the buffer, as it does when both die. */
void watcher_hold(const struct watcher *w, int fd)
{
	if (fd >= 0)
		framing_send_fds(w->holds[0], "", 1, &fd, 1);
}

/* The kernel closes what was sent with a byte when that is read without asking for it. */
void watcher_release(const struct watcher *w)
{
	char byte;
	ssize_t got;

	do
		got = recv(w->holds[1], &byte, 1, MSG_DONTWAIT);
	while (got > 0 || (got < 0 && errno == EINTR));
}

void watcher_end(struct watcher *w)
{
	for (int i = 0; i < 2; i++)
		if (w->holds[i] >= 0)
			close(w->holds[i]);
	if (!w->pid)
		return;
	kill(w->pid, SIGKILL);
	await_child(&await_briefly, w->pid, NULL);
	w->pid = 0;
}
