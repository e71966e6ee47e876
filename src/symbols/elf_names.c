/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/symbols/elf_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/sandbox/spawner.h"
#include "src/symbols/elf_wire.h"

#define DEBUG_FOLDER	"/usr/lib/debug"
#define MOST_CODE_MAP	(64 << 20)	/* bytes */

/* --- files ------------------------------------------------------------------------------------ */

/* Links inside of the folder must not lead out of it: those files are another machine's. */
static bool is_inside(const char *sysroot, int fd)
{
	char name[64], path[PATH_MAX], root[PATH_MAX];
	ssize_t len;
	size_t root_len;

	if (!*sysroot)
		return true;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	len = readlink(name, path, sizeof(path));
	if (len <= 0 || (size_t)len >= sizeof(path) || !realpath(sysroot, root))
		return false;
	root_len = strlen(root);
	return (size_t)len > root_len && !memcmp(path, root, root_len) &&
	       (path[root_len] == '/' || root[root_len - 1] == '/');
}

/* Never waits for a pipe, and opens no device.  Return: -1: there is no such file. */
static int open_at(const char *sysroot, const char *path)
{
	struct text whole = { 0 };
	struct stat st;
	int fd;

	text_printf(&whole, "%s%s", sysroot, path);
	fd = *path != '/' || stat(text_str(&whole), &st) || !S_ISREG(st.st_mode) ?
		     -1 :
		     open(text_str(&whole), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	text_fini(&whole);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_inside(sysroot, fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* perf keeps the files that had samples, by build ID.  Return: false: there is no such path. */
static bool kept_path(const char *build_id, const char *name, char path[PATH_MAX])
{
	const char *home = getenv("HOME");
	int len = !home || strlen(build_id) < 3 ?
			  0 :
			  snprintf(path, PATH_MAX, "%s/.debug/.build-id/%.2s/%s/%s", home, build_id,
				   build_id + 2, name);

	return len > 0 && len < PATH_MAX;
}

/*
 * @told: what the helper said of the file: its build ID and, as path, the name of the debug file,
 * both hostile
 */
static int open_debug(const char *sysroot, const char *path, const struct user_file *told)
{
	static const struct {
		const char	*above, *below;
	} folders[] = { { "", "" }, { "", "/.debug" }, { DEBUG_FOLDER, "" } };
	int folder = (int)(strrchr(path, '/') - path), fd = -1;
	char name[PATH_MAX];
	bool has_name;

	if (strlen(told->build_id) > 2) {
		snprintf(name, sizeof(name), DEBUG_FOLDER "/.build-id/%.2s/%s.debug",
			 told->build_id, told->build_id + 2);
		fd = open_at(sysroot, name);
	}
	has_name = *told->path && !strchr(told->path, '/');
	for (size_t i = 0; has_name && i < sizeof(folders) / sizeof(folders[0]) && fd < 0; i++) {
		snprintf(name, sizeof(name), "%s%.*s%s/%s", folders[i].above, folder, path,
			 folders[i].below, told->path);
		fd = open_at(sysroot, name);
	}
	/* it may have been stripped since */
	if (fd < 0 && kept_path(told->build_id, "elf", name))
		fd = open_at("", name);
	return fd;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct question {
	const struct user_file *file;
	const uint64_t	*places;
	uint32_t	 nr;
	char		*how;		/* [ELF_HOW_BYTES] */
	bool		 is_stripped;	/* answered: a debug file may have more functions */
};

static int64_t patience(void)
{
	return framing_now() + ELF_PATIENCE * 1000;
}

static bool receive(int helper, struct user_symbols *names, struct question *q)
{
	const int64_t last = framing_now() + ELF_SECONDS * 1000;
	struct elf_answer answer = { .bytes = ELF_AT_WORK };
	char *lines = NULL;
	bool is_whole = true;

	while (is_whole && answer.bytes == ELF_AT_WORK && framing_now() < last)
		is_whole = !framing_receive(helper, &answer, sizeof(answer), patience());
	is_whole = is_whole && answer.bytes <= ELF_MAX_ANSWER &&
		   (lines = mem_try_alloc(answer.bytes + 1ull, NULL)) &&
		   !framing_receive(helper, lines, answer.bytes, patience());
	if (!is_whole && errno == EAGAIN)
		snprintf(q->how, ELF_HOW_BYTES, "libdw did not answer for %d s", ELF_PATIENCE);
	if (is_whole)
		user_symbols_add(names, lines, answer.bytes);
	q->is_stripped = answer.is_stripped;
	free(lines);
	user_symbols_sort(names);
	return is_whole;
}

static void describe_end(int helper, char *how)
{
	char buf[ELF_HOW_BYTES];
	/* a silent one is ended by that */
	const char *words = helper < 0 ? "" : spawner_how(helper, buf, sizeof(buf));

	if (helper < 0)
		snprintf(how, ELF_HOW_BYTES, "no helper could be started");
	else if (!*how)
		snprintf(how, ELF_HOW_BYTES, "libdw %.*s", ELF_HOW_BYTES - 10, words);
}

/* @fds: [nr_fds], the file's and maybe its debug file's.  Return: NULL: no answer. */
static struct user_symbols *ask(struct question *q, const int *fds, unsigned int nr_fds)
{
	const struct elf_ask what = { .nr = q->nr, .by_address = q->file->by_address };
	struct user_symbols *names = user_symbols_new();
	int helper = spawner_start(SPAWNER_ELF);
	uint32_t nr = 0;

	if (helper >= 0 && !framing_send_fds(helper, &what, sizeof(what), fds, nr_fds) &&
	    !framing_send(helper, q->places, q->nr * sizeof(*q->places), NULL, 0, patience()) &&
	    receive(helper, names, q))
		user_symbols_files(names, &nr);
	else
		describe_end(helper, q->how);
	if (helper >= 0)
		close(helper);
	if (nr == 1)
		return names;
	user_symbols_free(names);
	return NULL;
}

static uint32_t nr_names(const struct user_symbols *names)
{
	uint32_t nr = 0;

	if (names)
		user_symbols_names(names, 0, &nr);
	return nr;
}

/* --- code made at run time -------------------------------------------------------------------- */

static bool is_code_map(const char *path)
{
	int pid, end = 0;

	return sscanf(path, "/tmp/perf-%d.map%n", &pid, &end) == 1 && end && !path[end];
}

/*
 * What a program has written for perf of the code that it made: lines "START SIZE NAME", in
 * hexadecimal.  As in perf, it counts only if it is the user's own or root's.
 */
static enum elf_result read_code_map(const char *sysroot, const char *path,
				     struct user_symbols **names)
{
	int fd = open_at(sysroot, path), at;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct text lines = { 0 };
	char *line = NULL;
	uint64_t from, size;
	size_t room = 0;
	struct stat st;

	if (!file)
		return ELF_NOT_THERE;
	text_add(&lines, "file - offset \n");
	if (!fstat(fd, &st) && (st.st_uid == geteuid() || !st.st_uid) &&
	    st.st_size <= MOST_CODE_MAP)
		while (getline(&line, &room, file) > 0 && lines.len < ELF_MAX_ANSWER)
			if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &from, &size, &at) == 2 &&
			    size < UINT64_MAX - from)
				text_printf(&lines, "name 0 %" PRIx64 "-%" PRIx64 " %.*s\n", from,
					    from + size, (int)strcspn(line + at, "\n"), line + at);
	fclose(file);
	free(line);
	*names = user_symbols_new();
	user_symbols_add(*names, text_str(&lines), lines.len);
	user_symbols_sort(*names);
	text_fini(&lines);
	return ELF_FOUND;
}

/* --- places to look --------------------------------------------------------------------------- */

/* @path: where the file is looked for */
static enum elf_result names_at(const char *sysroot, const char *path, struct question *q,
				struct user_symbols **names)
{
	int fds[2] = { open_at(sysroot, path), -1 };
	struct user_symbols *better = NULL;
	const struct user_file *told;
	uint32_t nr_files;

	if (fds[0] < 0)
		return ELF_NOT_THERE;
	*names = ask(q, fds, 1);
	told = *names ? user_symbols_files(*names, &nr_files) : NULL;
	if (told && *q->file->build_id && strcmp(q->file->build_id, told->build_id) != 0) {
		close(fds[0]);
		user_symbols_free(*names);
		*names = NULL;
		return ELF_IS_ANOTHER;
	}
	if (told && q->is_stripped)
		fds[1] = open_debug(sysroot, path, told);
	if (fds[1] >= 0) {
		better = ask(q, fds, 2);
		close(fds[1]);
	}
	close(fds[0]);
	if (nr_names(better) < nr_names(*names)) {
		user_symbols_free(better);
		better = NULL;
	}
	if (better) {
		user_symbols_free(*names);
		*names = better;
	}
	return *names ? ELF_FOUND : ELF_NOT_READ;
}

enum elf_result elf_names_of(const char *sysroot, const struct user_file *file,
			     const uint64_t *places, uint32_t nr, struct user_symbols **names,
			     char how[ELF_HOW_BYTES])
{
	struct question q = { file, places, nr < ELF_MAX_PLACES ? nr : ELF_MAX_PLACES, how, false };
	enum elf_result result;
	char path[PATH_MAX];

	*names = NULL;
	*how = '\0';
	if (is_code_map(file->path))
		return read_code_map(sysroot, file->path, names);
	result = names_at(sysroot, file->path, &q, names);
	if ((result == ELF_NOT_THERE || result == ELF_IS_ANOTHER) &&
	    kept_path(file->build_id, *file->path == '[' ? "vdso" : "elf", path) &&
	    names_at("", path, &q, names) == ELF_FOUND)
		return ELF_FOUND;
	return result;
}
