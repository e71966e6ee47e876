/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_recover - makes a valid trace.dat from an interrupted recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/output/output.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/memory.h"
#include "src/base/file_place.h"
#include "src/base/text.h"
#include "src/sandbox/confine.h"

enum { OPT_OUTPUT };

const struct command_def cmd_recover_def = {
	.name = "recover",
	.operands = "FILE.part",
	.summary = "repair the file of an interrupted recording",
	.details = "The file is repaired in place, without a copy. If recover is interrupted, run it\n"
		   "again. The trace lacks what record reads at the end, such as the kernel's\n"
		   "histograms, and says so.",
	.min_operands = 1,
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ "output", 'o', "FILE", OPT_OUTPUT,
		  "name of the repaired trace (default: without .part)", OPTION_PATH,
		  OPTION_HARMLESS },
		OPTION_END,
	},
};

static int give_up_root(struct ft_error *err)
{
	struct invoker who;
	int ret;

	confine_close_inherited();
	ret = invoker_find(&who, NULL, err);
	if (!ret)
		ret = invoker_become(&who, err);
	invoker_fini(&who);
	return ret;
}

struct paths {
	char		**names;	/* owned, and each string, too */
	unsigned int	nr, cap;
};

/* A file, and not where a link leads; by the name that its descriptor has, so it is that one. */
static void add_path(void *arg, int folder, const char *file)
{
	int fd = openat(folder, file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct text name = { 0 };
	struct paths *paths = arg;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	text_printf(&name, "/proc/self/fd/%d", fd);
	mem_grow(&paths->names, paths->nr, &paths->cap);
	paths->names[paths->nr++] = name.data;
}

/* What the process that repairs says to the one that renames. */
struct outcome {
	int			ret;
	struct output_recovered done;
	struct ft_error		err;
};

/* The layout in the file may be hostile: who reads it can write to the file and its parts alone. */
__attribute__((noreturn)) static void repair(const char *part, int fd)
{
	struct outcome outcome = { .err = { .offset = -1 } };
	struct paths files = { 0 };
	struct file_place place;

	if (!file_place_open(&place, part, 0, NULL)) {
		add_path(&files, place.folder, place.name);
		output_spool_each(place.folder, place.name, add_path, &files);
		file_place_close(&place);
	}
	confine_to_folders((const char *const *)files.names, files.nr);
	outcome.ret = output_recover(part, &outcome.done, &outcome.err);
	_exit(write(fd, &outcome, sizeof(outcome)) != (ssize_t)sizeof(outcome));
}

/* Have another process repair the file; this one reads nothing of it. */
static int have_repaired(const char *part, struct output_recovered *done, struct ft_error *err)
{
	struct outcome outcome;
	int fd = file_place_open_file(part, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, err);
	ssize_t got = -1;
	struct stat st;
	int ends[2];
	pid_t pid;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		st.st_mode = 0;
	close(fd);
	if (!S_ISREG(st.st_mode))
		return ft_error_set(err, FT_E_FORMAT, -1, "%s: not an interrupted recording", part);
	if (pipe2(ends, O_CLOEXEC))
		return ft_error_errno(err, errno, -1, "%s", part);
	fflush(NULL);
	pid = fork();
	if (!pid)
		repair(part, ends[1]);
	close(ends[1]);
	while (pid > 0 && (got = read(ends[0], &outcome, sizeof(outcome))) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (got != (ssize_t)sizeof(outcome))
		return ft_error_set(err, FT_E_IO, -1, "%s: the process that repairs it failed",
				    part);
	outcome.err.message[sizeof(outcome.err.message) - 1] = '\0';
	*done = outcome.done;
	return outcome.ret ? ft_error_set(err, outcome.err.code, outcome.err.offset, "%s",
					  outcome.err.message) :
			     0;
}

/* Nothing is repaired that could then not get its name. */
static int check_name(const char *path, struct ft_error *err)
{
	struct file_place place;
	bool is_there;

	if (file_place_open(&place, path, 0, err))
		return -1;
	is_there = !faccessat(place.folder, place.name, F_OK, AT_SYMLINK_NOFOLLOW);
	file_place_close(&place);
	return is_there ? ft_error_set(err, FT_E_IO, -1,
				       "%s exists already; name another file with -o", path) :
			  0;
}

int cmd_recover(const struct option_list *list, struct ft_error *err)
{
	const char *part = list->operands[0];
	const char *name = list->nr ? list->values[list->nr - 1].value : NULL;
	size_t len = strlen(part);
	struct output_recovered done;
	char *path;
	int ret = -1;

	if (!name && (len <= 5 || strcmp(part + len - 5, ".part")))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: does not end in .part; name the repaired trace with -o",
				    part);
	path = name ? mem_strdup(name) : mem_strndup(part, len - 5);
	if (give_up_root(err))
		ret = -1;
	else if (access(part, F_OK))
		ft_error_errno(err, errno, -1, "%s", part);
	else if (!check_name(path, err))
		ret = have_repaired(part, &done, err);
	if (!ret)
		ret = output_recover_name(part, path, done.spooled, err);
	if (!ret)
		printf("%s: recovered, %llu bytes of events\n", path,
		       (unsigned long long)done.bytes);
	free(path);
	return ret;
}
