/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody put into a folder, with each owner and each mode of that folder: the expected
 * answers are those of the table in Documentation/admin-guide/sysctl/fs.rst.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "src/base/file_place.h"

static char top[] = "/tmp/ftop-place-XXXXXX";

static void write_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);

	assert_true(fd >= 0);
	close(fd);
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Where a path leads: the device and number of what is there; false: an error. */
static bool leads_to(const char *path, unsigned int how, struct stat *st)
{
	struct file_place place;
	struct ft_error err = { 0 };

	if (file_place_open(&place, path, how, &err)) {
		assert_int_equal(place.folder, -1);
		assert_true(*err.message);
		return false;
	}
	assert_null(strchr(place.name, '/'));
	assert_int_equal(fstatat(place.folder, place.name, st, AT_SYMLINK_NOFOLLOW), 0);
	file_place_close(&place);
	return true;
}

/* The kernel says where it leads. */
static void paths_lead_where_the_kernel_goes(void **state)
{
	static const char *const paths[] = {
		"file",	       "./file",	"a/../file",	"a/b/file",   "a//b///file",
		"up/file",     "abs/b/file",	"a/b/to-abs",	"a/b/to-up",  "chain",
		"a/b/deep/c",  "/proc/self/cwd/file", "up/a/b/../../up/file", "a/b/up/../file",
		     "loop",		"loop/file",	"file/x",     "none/file",
		"a/none/file", "to-none",	"a/b/",		"..",	      "a/.",
		"",
	};
	char abs[PATH_MAX];

	(void)state;
	write_file("file");
	assert_int_equal(mkdir("a", 0755) | mkdir("a/b", 0755) | mkdir("a/b/c", 0755), 0);
	write_file("a/b/file");
	write_file("a/b/c/c");
	snprintf(abs, sizeof(abs), "%s/a", top);
	assert_int_equal(symlink(".", "up") | symlink(abs, "abs") |
				 symlink("../../file", "a/b/to-up"),
			 0);
	snprintf(abs, sizeof(abs), "%s/file", top);
	assert_int_equal(symlink(abs, "a/b/to-abs") | symlink("c/", "a/b/deep") |
				 symlink("up/a/b/to-up", "chain") | symlink("..", "a/b/up") |
				 symlink("loop", "loop") | symlink("nowhere", "to-none"),
			 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct stat kernels, ours;
		int fd = open(paths[i], O_RDWR);	/* no folder */

		if (leads_to(paths[i], FILE_PLACE_FOLLOW, &ours) != (fd >= 0))
			fail_msg("'%s' is %s", paths[i], fd >= 0 ? "refused" : "taken");
		if (fd < 0)
			continue;
		assert_int_equal(fstat(fd, &kernels), 0);
		assert_true(kernels.st_ino == ours.st_ino && kernels.st_dev == ours.st_dev);
		close(fd);
	}
}

static void links_are_followed_if_asked(void **state)
{
	struct file_place place;
	struct ft_error err = { 0 };
	struct stat st;

	(void)state;
	assert_true(leads_to("chain", 0, &st) && S_ISLNK(st.st_mode));
	assert_int_equal(file_place_open_file("chain", O_RDONLY | O_NOFOLLOW, &err), -1);
	assert_non_null(strstr(err.message, "chain: cannot open: Too many levels"));
	assert_int_equal(file_place_open(&place, "up/none", FILE_PLACE_FOLLOW, &err), 0);
	assert_true(place.has_links && place.stream < 0);
	file_place_close(&place);
	assert_int_equal(file_place_open(&place, "/dev/null", FILE_PLACE_FOLLOW, &err), 0);
	assert_true(place.stream >= 0);
	file_place_close(&place);
	assert_int_equal(file_place_open(&place, "/dev/null", 0, &err), 0);
	assert_int_equal(place.stream, -1);
	file_place_close(&place);
}

static void folders_are_made(void **state)
{
	struct file_place place;
	struct ft_error err = { 0 };
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(file_place_folder("up/new/er", 0, &err), -1);
	fd = file_place_folder("up/new/er", 0777, &err);
	assert_int_equal(fstat(fd, &st) | close(fd), 0);
	assert_int_equal(st.st_mode & 0700, 0700);
	assert_int_equal(file_place_open(&place, "up/own/x", FILE_PLACE_MAKE, &err), 0);
	file_place_close(&place);
	assert_int_equal(stat("own", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

/* --- owners ----------------------------------------------------------------------------------- */

static const uid_t users[] = { 0, 65534, 1 };	/* the first two are the caller in turn */

/* As the document has it, of protected_symlinks=1, protected_fifos=2 and protected_regular=2. */
static bool is_allowed(bool is_link, mode_t mode, uid_t folder, uid_t owner, uid_t caller)
{
	bool sticky = mode & 01000, all = mode & 2, group = mode & 020;

	if (is_link) /* "outside a sticky world-writable directory, or when the uid of the
			 * symlink and follower match, or when the directory owner matches the
			 * symlink's owner" */
		return !(sticky && all) || owner == caller || owner == folder;
	/* "in world writable sticky directories, unless they are owned by the owner of the
	 * directory"; 2: "also applies to group writable sticky directories" */
	return !(sticky && (all || group)) || owner == caller || owner == folder;
}

static void check_one(const char *what, bool is_link, const char *path, mode_t mode,
		      const uid_t of[3])
{
	struct ft_error err = { 0 };
	struct file_place place;
	bool allowed;

	assert_int_equal(chown("place", of[0], 0) | chmod("place", mode), 0);
	assert_int_equal(lchown(what, of[1], 0), 0);
	assert_int_equal(seteuid(of[2]), 0);
	allowed = !file_place_open(&place, path, FILE_PLACE_FOLLOW, &err);
	assert_int_equal(seteuid(0), 0);
	if (allowed != is_allowed(is_link, mode, of[0], of[1], of[2]))
		fail_msg("%s of user %d in a folder of %d of mode %o: %s to user %d", what, of[1],
			 of[0], mode, allowed ? "allowed" : "refused", of[2]);
	if (!allowed)
		assert_non_null(strstr(err.message, " of another user, in a folder where "));
	file_place_close(&place);
}

static void the_rules_of_the_kernel(void **state)
{
	static const mode_t modes[] = { 0755, 0777, 0775, 01755, 01777, 01775 };
	static const struct {
		const char	*what, *path;
		bool		 is_link;
	} things[] = { { "place/file", "place/file", false },
		       { "place/fifo", "place/fifo", false },
		       { "place/link", "place/link", true },
		       { "place/way", "place/way/new", true } };

	(void)state;
	if (geteuid()) {
		print_message("skipped: needs root, to have files of other users\n");
		skip();
	}
	assert_int_equal(mkdir("place", 0755) | mkfifo("place/fifo", 0666) |
				 symlink("../file", "place/link") | symlink("../a", "place/way"),
			 0);
	write_file("place/file");
	assert_int_equal(chmod(top, 0755), 0);
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++)
			for (int n = 0; n < 18; n++)
				check_one(things[i].what, things[i].is_link, things[i].path,
					  modes[k],
					  (uid_t[]){ users[n % 3], users[n / 3 % 3],
						     users[n / 9] });
}

static int make_folder(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(top) && !chdir(top) ? 0 : -1;
}

static int drop_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_where_the_kernel_goes),
		cmocka_unit_test(links_are_followed_if_asked),
		cmocka_unit_test(folders_are_made),
		cmocka_unit_test(the_rules_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
