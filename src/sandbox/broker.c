/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sandbox/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

struct broker {
	pid_t	pid;
	int	fd;
};

/* --- its life --------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void be_broker(int fd, const struct broker_rules *rules)
{
	sigset_t all;

	/*
	 * the asking process handles the terminal's keys and hang-up; started programs get all
	 * signals again
	 */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ftop-broker");
	if (prctl(PR_SET_DUMPABLE, 0))	/* its memory is not for programs of the same user */
		_exit(1);
	child_close_others(fd);
	broker_serve(fd, rules);
	_exit(0);
}

/* The broker that removes what is not complete before a signal ends this process. */
static struct broker removing;

static void remove_and_end(int number)
{
	static const char told[] = "ftop-trace: interrupted; what was not complete is removed\n";

	if (write(STDERR_FILENO, told, sizeof(told) - 1) < 0)
		errno = 0;
	close(removing.fd);		/* it sees the end of this process */
	while (waitpid(removing.pid, NULL, 0) < 0 && errno == EINTR)
		;
	raise(number);		/* the default action, when this handler has returned */
}

static void remove_on_signals(const struct broker *broker)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	const struct sigaction action = { .sa_handler = remove_and_end, .sa_flags = SA_RESETHAND };
	struct sigaction old;

	removing = *broker;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

struct broker *broker_new(const struct broker_rules *rules, struct ft_error *err)
{
	struct broker *broker;
	int fds[2];
	pid_t pid;
	char ready;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		ft_error_errno(err, errno, -1, "socketpair");
		return NULL;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		be_broker(fds[1], rules);
	close(fds[1]);
	if (pid < 0) {
		ft_error_errno(err, errno, -1, "cannot start another process");
		close(fds[0]);
		return NULL;
	}
	broker = mem_alloc(sizeof(*broker));
	*broker = (struct broker){ .pid = pid, .fd = fds[0] };
	/*
	 * It stops this process while it asks the user, also one that was root's.  Where that is
	 * refused, nothing is confirmed.
	 */
	prctl(PR_SET_PTRACER, pid);
	prctl(PR_SET_DUMPABLE, 1);
	/* it has opened the folders of the files when it is ready */
	if (framing_receive(fds[0], &ready, 1, FRAMING_NO_LIMIT)) {
		ft_error_set(err, FT_E_IO, -1, "the broker process could not be started");
		broker_free(broker);
		return NULL;
	}
	if (rules->output || rules->folder || rules->judged)
		remove_on_signals(broker);
	return broker;
}

void broker_free(struct broker *broker)
{
	if (!broker)
		return;
	close(broker->fd);
	while (waitpid(broker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(broker);
}

/* --- asking ----------------------------------------------------------------------------------- */

/* @fds: -1 for those missing */
static int take_answer(int fd, struct broker_answer *answer, int fds[BROKER_MAX_FDS])
{
	int came[BROKER_MAX_FDS];
	int nr = framing_receive_fds(fd, answer, sizeof(*answer), came, BROKER_MAX_FDS), next = 0;

	for (int i = 0; i < BROKER_MAX_FDS; i++)	/* fewer if no more can be opened */
		fds[i] = nr > 0 && answer->fds & 1u << i && next < nr ? came[next++] : -1;
	return nr < 0 ? -1 : 0;
}

static int ask(struct broker *broker, const struct broker_ask *what, const char *bytes,
	       struct broker_answer *answer, int fds[BROKER_MAX_FDS], struct ft_error *err)
{
	if (what->bytes > BROKER_MAX_BYTES)
		return ft_error_set(err, FT_E_LIMIT, -1, "the request is longer than %d bytes",
				    BROKER_MAX_BYTES);
	if (framing_send(broker->fd, what, sizeof(*what), bytes, what->bytes, FRAMING_NO_LIMIT) ||
	    take_answer(broker->fd, answer, fds))
		return ft_error_set(
			err, FT_E_IO, -1,
			"the broker process, which starts programs and writes files, has ended");
	if (answer->result < 0 && err)
		*err = answer->err;
	return answer->result;
}

int broker_start(struct broker *broker, struct child *child, const char *const *argv,
		 enum child_kind kind, bool may_ask, struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_START,
				   .number = (int32_t)kind,
				   .may_ask = may_ask };
	struct broker_answer answer;
	struct text words = { 0 };
	int fds[BROKER_MAX_FDS], result;

	if (!broker)
		return child_start(child, argv, kind, err);
	for (int i = 0; argv[i]; i++)
		text_bytes(&words, argv[i], strlen(argv[i]) + 1);
	what.bytes = (uint32_t)(words.len < BROKER_MAX_BYTES ? words.len : BROKER_MAX_BYTES + 1);
	*child = (struct child){ .pidfd = -1, .from = -1, .to = -1, .said = -1 };
	result = ask(broker, &what, text_str(&words), &answer, fds, err);
	if (!result)
		*child = (struct child){ .broker = broker, .pid = answer.pid, .pidfd = fds[0],
					 .from = fds[1], .to = fds[2],
					 .said = fds[3] };
	text_fini(&words);
	return result;
}

void broker_save_name(const char *trace, struct text *name)
{
	const char *slash = strrchr(trace, '/'), *base = slash ? slash + 1 : trace;

	if (!strcmp(base, "-"))		/* no file may begin with it */
		base = "stdin";
	text_add(name, base);
	/* "requirements" would make requirements.txt */
	if (!strchr(base, '.'))
		text_add(name, ".trace");
}

int broker_create(struct broker *broker, const char *path, bool may_ask, struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_CREATE, .may_ask = may_ask,
				   .bytes = (uint32_t)strlen(path) };
	struct broker_answer answer;
	int fds[BROKER_MAX_FDS];
	struct file_place place;
	int fd, result;

	if (broker) {
		result = ask(broker, &what, path, &answer, fds, err);
		return result == BROKER_ASKS ? BROKER_CREATE_ASKS : result ? -1 : fds[0];
	}
	if (file_place_open(&place, path, 0, err))
		return -1;
	fd = broker_create_new(&place, path, err);
	file_place_close(&place);
	return fd;
}

int broker_begin_file(struct broker *broker, const char *path, struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_BEGIN_FILE, .bytes = (uint32_t)strlen(path) };
	struct broker_answer answer;
	int fds[BROKER_MAX_FDS];

	return ask(broker, &what, path, &answer, fds, err) ? -1 : fds[0];
}

int broker_end_files(struct broker *broker, bool keep, struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_END_FILES, .number = keep };
	struct broker_answer answer;
	int fds[BROKER_MAX_FDS];

	return ask(broker, &what, "", &answer, fds, err);
}

int broker_on_hit(struct broker *broker, const char *path, const char *json, struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_ON_HIT };
	struct broker_answer answer;
	struct text bytes = { 0 };
	int fds[BROKER_MAX_FDS], result;

	text_bytes(&bytes, path, strlen(path) + 1);
	text_add(&bytes, json);
	what.bytes = (uint32_t)bytes.len;
	result = ask(broker, &what, text_str(&bytes), &answer, fds, err);
	text_fini(&bytes);
	return result;
}

int broker_replace_session(struct broker *broker, const char *path, const struct text *contents,
			   struct ft_error *err)
{
	struct broker_ask what = { .what = BROKER_REPLACE };
	struct broker_answer answer;
	struct text bytes = { 0 };
	int fds[BROKER_MAX_FDS], result;

	if (!broker)
		return small_file_replace(path, contents, 0644, err);
	text_bytes(&bytes, path, strlen(path) + 1);
	text_bytes(&bytes, text_str(contents), contents->len);
	what.bytes = (uint32_t)(bytes.len < BROKER_MAX_BYTES ? bytes.len : BROKER_MAX_BYTES + 1);
	result = ask(broker, &what, text_str(&bytes), &answer, fds, err);
	text_fini(&bytes);
	return result;
}

bool broker_child_ended(struct broker *broker, pid_t pid, int *status)
{
	struct broker_answer answer;
	int fds[BROKER_MAX_FDS];
	int result = ask(broker, &(struct broker_ask){ .what = BROKER_ENDED, .number = pid }, "",
			 &answer, fds, NULL);

	*status = result > 0 ? answer.status : 0;
	return result != 0;		/* if the broker is gone, the status is lost */
}

void broker_child_interrupt(struct broker *broker, pid_t pid)
{
	struct broker_answer answer;
	int fds[BROKER_MAX_FDS];

	ask(broker, &(struct broker_ask){ .what = BROKER_INTERRUPT, .number = pid }, "", &answer,
	    fds, NULL);
}
