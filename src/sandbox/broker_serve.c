/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_serve - the broker process: checks and serves one request at a time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

struct session {
	char	*path;		/* as the screen names it */
	char	*saves;		/* broker_save_name() */
	int	 folder;	/* opened before the screen read a file */
};

struct server {
	int				 fd;
	const struct broker_rules	*rules;
	pid_t				 asker;
	struct text			 confirmed;	/* keys, each with its NUL */
	struct session			*sessions;	/* [nr_sessions] */
	unsigned int			 nr_sessions;
	unsigned int			 nr_children;	/* that nobody has reaped */
	struct broker_part		 parts[BROKER_MAX_PARTS];	/* [nr_parts] */
	unsigned int			 nr_parts;
	unsigned int			 nr_hits;	/* commands of --on-hit */
};

/* --- what the user confirms ------------------------------------------------------------------- */

static bool is_confirmed(const struct server *server, const struct text *key)
{
	for (size_t at = 0; at < server->confirmed.len;
	     at += strlen(server->confirmed.data + at) + 1)
		if (!strcmp(server->confirmed.data + at, text_str(key)))
			return true;
	return false;
}

/* Ask for the same thing once.  Return: 0, -1, or BROKER_ASKS. */
static int confirm(struct server *server, const struct broker_verdict *verdict, bool may_ask,
		   struct ft_error *err)
{
	if (!verdict->asks.len || is_confirmed(server, &verdict->key))
		return 0;
	if (!may_ask)
		return BROKER_ASKS;
	if (broker_confirm(server->fd, server->asker, verdict, err))
		return -1;
	text_bytes(&server->confirmed, text_str(&verdict->key), verdict->key.len + 1);
	return 0;
}

/* --- session files ---------------------------------------------------------------------------- */

/* Let the screen save a session file beside this file. */
static void add_session(struct server *server, const char *file)
{
	struct session *session;
	struct text path = { 0 }, saves = { 0 };
	char *folder = mem_strdup(file), *slash = strrchr(folder, '/');

	output_name_add(OUTPUT_MARKS, file, 0, &path);
	broker_save_name(file, &saves);
	if (slash)
		slash[slash == folder] = '\0';
	server->sessions = mem_resize(server->sessions, server->nr_sessions + 1,
				      sizeof(*server->sessions));
	session = &server->sessions[server->nr_sessions++];
	session->path = path.data;
	session->saves = saves.data;
	session->folder = file_place_folder(slash ? folder : ".", 0, NULL);
	free(folder);
}

/* A recording that goes on will have its name; the screen then opens that. */
static void add_file(struct server *server, const char *file)
{
	size_t len = strlen(file), end = strlen(".part");
	char *whole;

	add_session(server, file);
	if (len <= end || strcmp(file + len - end, ".part"))
		return;
	whole = mem_strndup(file, len - end);
	add_session(server, whole);
	free(whole);
}

static const struct session *find_session(const struct server *server, const char *path)
{
	for (unsigned int i = server->nr_sessions; i-- > 0;)
		if (!strcmp(server->sessions[i].path, path))
			return &server->sessions[i];
	return NULL;
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* Split consecutive words, each with its NUL.  Return: an owned array. */
static const char **split_words(const char *bytes, size_t len)
{
	const char **words;
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < len; i++)
		nr += !bytes[i];
	words = mem_array(nr + 2, sizeof(*words));	/* the last one may lack its NUL */
	for (nr = 0; at < len; at += strlen(bytes + at) + 1)
		words[nr++] = bytes + at;
	return words;
}

/* The screen needs two; more would go on when the user has ended it. */
#define MAX_CHILDREN	16

static int start(struct server *server, const struct broker_ask *ask, const char *bytes,
		 struct broker_answer *answer, int fds[BROKER_MAX_FDS])
{
	const char **words = split_words(bytes, ask->bytes);
	struct broker_verdict verdict = { 0 };
	struct child child;
	int result = broker_judge(server->rules, words, &verdict, &answer->err);

	if (!result && (ask->number < CHILD_ASKED || ask->number > CHILD_WRAPPED))
		result = ft_error_set(&answer->err, FT_E_USAGE, -1, "no such kind of child");
	if (!result && server->nr_children == MAX_CHILDREN)
		result = ft_error_set(&answer->err, FT_E_LIMIT, -1,
				      "the browser runs %d programs at a time at most",
				      MAX_CHILDREN);
	if (!result)
		result = confirm(server, &verdict, ask->may_ask, &answer->err);
	if (!result)
		result = child_start(&child, words, (enum child_kind)ask->number, &answer->err);
	if (!result) {
		server->nr_children++;
		answer->pid = child.pid;
		fds[0] = child.pidfd;
		fds[1] = child.from;
		fds[2] = child.to;
		fds[3] = child.said;
		if (verdict.records.len)
			add_session(server, text_str(&verdict.records));
	}
	broker_verdict_fini(&verdict);
	free(words);
	return result;
}

/*
 * Many a program obeys a file for its name alone: a makefile, CMakeLists.txt, package.json, a part
 * of cron's table.
 */
static bool is_obeyed(const struct server *server, const struct file_place *place)
{
	static const char *const traces[] = { ".dat", ".pftrace", NULL };
	static const char *const rows[] = { ".txt", ".csv", ".json", ".log", NULL };
	bool of_trace = false;

	for (unsigned int i = 0; i < server->nr_sessions && !of_trace; i++)
		of_trace = !strncmp(place->name, server->sessions[i].saves,
				    strlen(server->sessions[i].saves));
	return !broker_place_ends_in(place, traces) &&
	       (!of_trace || !broker_place_ends_in(place, rows));
}

static int create(struct server *server, const char *path, bool may_ask, int fds[BROKER_MAX_FDS],
		  struct ft_error *err)
{
	struct broker_verdict verdict = { .saves = true };
	struct file_place place;
	int ret = broker_place_open(&place, path, err);

	if (!ret && is_obeyed(server, &place)) {
		broker_add_doubt(&verdict, "write a file whose name other programs may obey", path);
		ret = confirm(server, &verdict, may_ask, err);
	}
	broker_verdict_fini(&verdict);
	if (!ret) {
		fds[0] = broker_create_new(&place, path, err);
		ret = fds[0] < 0 ? -1 : 0;
	}
	file_place_close(&place);
	return ret;
}

/* Create a session file, or replace one. */
static int replace_session(const struct server *server, const char *bytes, size_t len,
			   struct ft_error *err)
{
	const struct session *session = find_session(server, bytes);
	const char *slash = strrchr(bytes, '/');
	size_t path = strlen(bytes);
	struct text contents = { 0 };
	const char *name = slash ? slash + 1 : bytes;
	int ret;

	if (!session)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: marks are only saved beside files that ftop-trace was "
				    "started with or has recorded",
				    bytes);
	if (path < len)
		text_bytes(&contents, bytes + path + 1, len - path - 1);
	if (strncmp(text_str(&contents), OUTPUT_MARKS_HEAD, strlen(OUTPUT_MARKS_HEAD)) ||
	    !output_name_replaces(session->folder, name, OUTPUT_MARKS_HEAD))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s is not a file of marks; it is left unchanged", bytes);
	else
		ret = small_file_replace_at(session->folder, name, &contents, 0644, err);
	text_fini(&contents);
	return ret;
}

/* --- files that are not complete yet ---------------------------------------------------------- */

/* Give all their names; after a failure, the rest is removed. */
static int end_files(struct server *server, bool keep, struct ft_error *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < server->nr_parts; i++)
		if (broker_part_end(&server->parts[i], keep && !ret, ret ? NULL : err))
			ret = -1;
	server->nr_parts = 0;
	return ret;
}

/* Is it one of the files of --split? */
static bool is_of_split(const struct broker_rules *rules, const char *path)
{
	struct text name = { 0 };
	bool found = false;

	for (unsigned int i = 1; i <= rules->split.numbers && !found; i++) {
		text_clear(&name);
		output_name_add(OUTPUT_NUMBER, rules->judged, i, &name);
		found = !strcmp(path, text_str(&name));
	}
	text_fini(&name);
	return found;
}

/* What the shell asked for must not be what is read: that would be lost. */
static int check_read(const struct broker_rules *rules, const char *path, struct ft_error *err)
{
	struct stat out, in;

	for (unsigned int i = 0; i < rules->nr_files && !stat(path, &out); i++)
		if (!stat(rules->files[i], &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "%s is the input; give another name", path);
	return 0;
}

/* Where a file leads to that is to be written, if it may be. */
static int find_place(const struct server *server, struct broker_part *part, struct ft_error *err)
{
	static const char *const traces[] = { ".dat", ".pftrace", NULL };
	const struct broker_rules *rules = server->rules;

	if (rules->folder)
		return broker_place_below(&part->place, part->path, rules->folder, err);
	if (rules->judged && !is_of_split(rules, part->path))
		return ft_error_set(err, FT_E_USAGE, -1, "%s is no file of --split", part->path);
	if (rules->judged)
		return file_place_open(&part->place, part->path, 0, err);
	if (rules->output && strcmp(part->path, rules->output))
		return ft_error_set(err, FT_E_USAGE, -1, "%s is not the file to write", part->path);
	if (rules->output && check_read(rules, part->path, err))
		return -1;
	if (rules->output)
		return file_place_open(&part->place, part->path, FILE_PLACE_FOLLOW, err);
	if (broker_place_open(&part->place, part->path, err))
		return -1;
	return broker_place_ends_in(&part->place, traces) ?
		       0 :
		       ft_error_set(err, FT_E_USAGE, -1,
				    "%s: traces are saved as NAME.dat or NAME.pftrace", part->path);
}

static int begin_file(struct server *server, const char *path, int fds[BROKER_MAX_FDS],
		      struct ft_error *err)
{
	const struct broker_rules *rules = server->rules;
	struct broker_part part = { .path = mem_strdup(path),
				    .place = { .folder = -1, .stream = -1 },
				    .replaces = rules->judged          ? OUTPUT_TRACE_HEAD :
						rules->replaces_output ? "" :
									 NULL,
				    .streams = rules->streams_output };

	if (server->nr_parts == BROKER_MAX_PARTS)
		ft_error_set(err, FT_E_LIMIT, -1, "more than %d files at a time", BROKER_MAX_PARTS);
	else if (!find_place(server, &part, err))
		fds[0] = broker_part_begin(&part,
					   rules->folder ?
						   "remove it, or give the trace another name" :
					   rules->output ? "--force replaces it" :
							   "choose another name",
					   server->fd, err);
	if (fds[0] < 0) {
		broker_part_fini(&part);
		return -1;
	}
	server->parts[server->nr_parts++] = part;
	return 0;
}

/* In the child: the command's words, its input and its signals. */
__attribute__((noreturn)) static void exec_on_hit(const struct broker_rules *rules,
						  const char *path, int input)
{
	struct text command = { 0 };
	sigset_t none;

	text_printf(&command, "%s \"$1\"", rules->on_hit);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(input, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", text_str(&command), "sh", path, NULL);
	_exit(127);
}

static int on_hit(struct server *server, const char *bytes, size_t len, struct ft_error *err)
{
	const char *json = bytes + strlen(bytes) + 1;
	size_t size = strlen(bytes) < len ? len - strlen(bytes) - 1 : 0;
	const struct broker_rules *rules = server->rules;
	int input = memfd_create("hit", MFD_CLOEXEC);
	pid_t pid = -1;

	if (!rules->judged || !rules->on_hit ||
	    (strcmp(bytes, rules->judged) && !is_of_split(rules, bytes))) {
		ft_error_set(err, FT_E_USAGE, -1, "%s: there is no command for it", bytes);
	} else if (server->nr_hits == rules->most_hits) {
		ft_error_set(err, FT_E_LIMIT, -1, "--on-hit: it ran for %u hits (--hits)",
			     rules->most_hits);
	} else if (input < 0 || write(input, json, size) != (ssize_t)size ||
		   lseek(input, 0, SEEK_SET) || (pid = fork()) < 0) {
		ft_error_errno(err, errno, -1, "--on-hit: cannot start %s", rules->on_hit);
	} else if (!pid) {
		exec_on_hit(rules, bytes, input);
	}
	server->nr_hits += pid > 0;
	if (input >= 0)
		close(input);
	return pid > 0 ? 0 : -1;
}

static int ended(struct server *server, pid_t pid, int *status)
{
	pid_t got = pid > 0 ? waitpid(pid, status, WNOHANG) : -1;

	if (got < 0)
		*status = 0;
	server->nr_children -= got > 0;
	return got != 0;
}

/* Only our own children that have not been reaped yet. */
static void interrupt_child(pid_t pid)
{
	siginfo_t info;

	if (pid > 0 && !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT))
		kill(pid, SIGINT);
}

static void answer_it(struct server *server, const struct broker_ask *ask, const char *bytes,
		      struct broker_answer *answer, int fds[BROKER_MAX_FDS])
{
	bool writes = server->rules->output || server->rules->folder || server->rules->judged;
	bool may = !writes || ask->what == BROKER_BEGIN_FILE || ask->what == BROKER_END_FILES ||
		   ask->what == BROKER_ON_HIT;

	switch (may ? (enum broker_what)ask->what : BROKER_NOTHING) {
	case BROKER_START:
		answer->result = start(server, ask, bytes, answer, fds);
		return;
	case BROKER_CREATE:
		answer->result = create(server, bytes, ask->may_ask, fds, &answer->err);
		return;
	case BROKER_REPLACE:
		answer->result = replace_session(server, bytes, ask->bytes, &answer->err);
		return;
	case BROKER_BEGIN_FILE:
		answer->result = begin_file(server, bytes, fds, &answer->err);
		return;
	case BROKER_END_FILES:
		answer->result = end_files(server, ask->number, &answer->err);
		return;
	case BROKER_ON_HIT:
		answer->result = on_hit(server, bytes, ask->bytes, &answer->err);
		return;
	case BROKER_NOTHING:
		break;
	case BROKER_ENDED:
		answer->result = ended(server, ask->number, &answer->status);
		return;
	case BROKER_INTERRUPT:
		interrupt_child(ask->number);
		return;
	}
	answer->result = ft_error_set(&answer->err, FT_E_USAGE, -1, "no such question");
}

/* --- one after the other ---------------------------------------------------------------------- */

static int send_answer(int fd, struct broker_answer *answer, const int fds[BROKER_MAX_FDS])
{
	int given[BROKER_MAX_FDS];
	unsigned int nr = 0;

	for (int i = 0; i < BROKER_MAX_FDS; i++) {
		if (fds[i] < 0)
			continue;
		answer->fds |= 1u << i;
		given[nr++] = fds[i];
	}
	return framing_send_fds(fd, answer, sizeof(*answer), given, nr);
}

static int serve_one(struct server *server)
{
	int fds[BROKER_MAX_FDS] = { -1, -1, -1, -1 }, result = -1;
	struct broker_answer answer = { .err.offset = -1 };
	struct broker_ask ask;
	char *bytes;

	if (framing_receive(server->fd, &ask, sizeof(ask), FRAMING_NO_LIMIT) ||
	    ask.bytes > BROKER_MAX_BYTES)
		return -1;
	bytes = mem_alloc(ask.bytes + 1);
	if (!framing_receive(server->fd, bytes, ask.bytes, FRAMING_NO_LIMIT)) {
		bytes[ask.bytes] = '\0';
		answer_it(server, &ask, bytes, &answer, fds);
		result = send_answer(server->fd, &answer, fds);
	}
	for (int i = 0; i < BROKER_MAX_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(bytes);
	return result;
}

void broker_serve(int fd, const struct broker_rules *rules)
{
	struct server server = { .fd = fd, .rules = rules, .asker = getppid() };

	if (rules->confirmed)
		text_bytes(&server.confirmed, rules->confirmed, strlen(rules->confirmed) + 1);
	for (unsigned int i = 0; i < rules->nr_files; i++)
		add_file(&server, rules->files[i]);
	if (send(fd, "", 1, MSG_NOSIGNAL) == 1)
		while (!serve_one(&server))
			;
	end_files(&server, false, NULL);
	while (rules->on_hit && wait(NULL) > 0)
		;
	for (unsigned int i = 0; i < server.nr_sessions; i++) {
		free(server.sessions[i].path);
		free(server.sessions[i].saves);
	}
	free(server.sessions);
	text_fini(&server.confirmed);
}
