/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved_boot - a file is a line with the version, then blocks: a line "SIZE NAME", and as many
 * bytes.  The names are paths below tracefs, but for kallsyms, modules and uname, and the first
 * one: "count" is a number that each save takes one higher, as clocks may have been wrong.
 */
#include "recorder/tracefs/saved_boot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "recorder/tracefs/owner.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

#define HEAD		"ftop-trace boot 1\n"
#define MOST_BYTES	(256u << 20)	/* of a file; a kernel's symbols have some 15 MB */
#define KEPT		4u		/* boots */
#define COUNT		"count"
#define MOST_COUNT	(UINT64_MAX / 2)

struct saved_file {
	const char	*name, *bytes;	/* in text */
	size_t		 len;
};

struct saved_boot {
	struct text	 text;
	char		*id;		/* owned */
	struct saved_file *files;	/* owned, [nr], as they are in text */
	size_t		 nr, cap;
	int64_t		 saved;		/* s since the epoch, by the clock of that time */
	bool		 has_more;	/* modules may have come or gone after it was saved */
	bool		 is_fixed;	/* no place tells boots apart */
	struct saved_boot *also;	/* owned: an older one that is as likely; NULL = none */
};

/* --- the folder ------------------------------------------------------------------------------- */

struct boot_file {
	char	*name;		/* owned */
	uint64_t count;		/* 0: of a version that had none */
	int64_t	 saved;
};

struct boot_files {
	struct boot_file *list;	/* owned, [nr]: saved last comes first */
	size_t		  nr, cap;
};

/* Is a file one that was saved here?  Anything else in the folder is left alone. */
static bool look_at(int folder, const char *name, struct boot_file *file)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char head[sizeof(HEAD) + 64] = "";
	struct stat st;
	bool is_ours = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		       pread(fd, head, sizeof(head) - 1, 0) > 0 &&
		       !strncmp(head, HEAD, sizeof(HEAD) - 1);

	if (fd >= 0)
		close(fd);
	if (!is_ours)
		return false;
	file->saved = st.st_mtime;
	if (sscanf(head + sizeof(HEAD) - 1, "%*u " COUNT "\n%" SCNu64, &file->count) != 1 ||
	    file->count > MOST_COUNT)
		file->count = 0;
	return true;
}

static int compare_files(const void *a, const void *b)
{
	const struct boot_file *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->saved < y->saved) - (x->saved > y->saved);
}

static struct boot_files list_boots(const char *folder)
{
	struct boot_files files = { 0 };
	struct name_list names = { 0 };
	struct tracefs_dir dir = { 0 };

	if (tracefs_dir_open(&dir, folder, NULL))
		return files;
	tracefs_dir_list(&dir, "", &names, NULL);
	for (size_t i = 0; i < names.nr; i++) {
		struct boot_file file = { 0 };

		if (!look_at(dir.fd, names.names[i], &file))
			continue;
		file.name = mem_strdup(names.names[i]);
		mem_grow(&files.list, files.nr, &files.cap);
		files.list[files.nr++] = file;
	}
	name_list_fini(&names);
	tracefs_dir_close(&dir);
	if (files.nr)
		qsort(files.list, files.nr, sizeof(*files.list), compare_files);
	return files;
}

static void boot_files_fini(struct boot_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->list[i].name);
	free(files->list);
}

static uint64_t next_count(const char *folder)
{
	struct boot_files files = list_boots(folder);
	uint64_t count = files.nr ? files.list[0].count + 1 : 1;

	boot_files_fini(&files);
	return count;
}

bool saved_boot_is_written(const char *folder)
{
	char boot[OWNER_BOOT_BYTES];
	struct boot_file file;

	return look_at(AT_FDCWD, TRACEFS_TEXT("%s/%s", folder, owner_boot_id(boot)), &file);
}

/*
 * Remove old ones, but not @path, which was just saved.  The machine may crash at once, so wait for
 * the disk.
 */
static int finish(const char *folder, const char *path, struct text *removed, struct ft_error *err)
{
	struct boot_files files = list_boots(folder);
	const char *name = path + strlen(folder) + 1;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	size_t others = 0;

	for (size_t i = 0; fd >= 0 && i < files.nr; i++)
		if (strcmp(files.list[i].name, name) && ++others >= KEPT &&
		    !unlinkat(fd, files.list[i].name, 0))
			text_printf(removed, "%s/%s\n", folder, files.list[i].name);
	boot_files_fini(&files);
	ret = fd < 0 || syncfs(fd) ?
		      ft_error_errno(err, errno, -1, "%s: cannot write it to the disk", path) :
		      0;
	if (fd >= 0)
		close(fd);
	return ret;
}

static int check_place(const char *folder, const char *path, struct ft_error *err)
{
	struct stat st;

	return lstat(path, &st) || saved_boot_is_written(folder) ?
		       0 :
		       ft_error_set(err, FT_E_FORMAT, -1,
				    "%s: not a file that ftop-trace saved; it is left as it is",
				    path);
}

/* --- saving ----------------------------------------------------------------------------------- */

static void add_block(struct text *out, const char *name, const struct text *bytes)
{
	text_printf(out, "%zu %s\n", bytes->len, name);
	text_bytes(out, text_str(bytes), bytes->len);
}

static void add_file(struct text *out, const struct tracefs_dir *root, const char *name)
{
	struct text bytes = { 0 };

	if (!tracefs_dir_read(root, name, &bytes, NULL))
		add_block(out, name, &bytes);
	text_fini(&bytes);
}

static void add_formats(struct text *out, const struct tracefs_dir *root)
{
	struct name_list systems = { 0 };

	tracefs_dir_folders(root, "events", &systems, NULL);
	for (size_t i = 0; i < systems.nr; i++) {
		struct name_list events = { 0 };

		tracefs_dir_folders(root, TRACEFS_TEXT("events/%s", systems.names[i]), &events,
				    NULL);
		for (size_t k = 0; k < events.nr; k++)
			add_file(out, root,
				 TRACEFS_TEXT("events/%s/%s/format", systems.names[i],
					      events.names[k]));
		name_list_fini(&events);
	}
	name_list_fini(&systems);
}

static int add_proc(struct text *out, const char *prefix, const char *name, struct ft_error *err)
{
	struct text bytes = { 0 };
	int ret = small_file_read(TRACEFS_TEXT("%s/proc/%s", prefix, name), MOST_BYTES, &bytes,
				  err);

	if (!ret)
		add_block(out, name, &bytes);
	text_fini(&bytes);
	return ret;
}

int saved_boot_write(const struct tracefs_dir *root, const char *prefix, const char *folder,
		     struct text *path, struct text *removed, struct ft_error *err)
{
	char boot[OWNER_BOOT_BYTES];
	struct text out = { 0 }, line = { 0 };
	struct utsname uts;
	int ret;

	text_printf(path, "%s/%s", folder, owner_boot_id(boot));
	ret = check_place(folder, text_str(path), err);
	text_add(&out, HEAD);
	text_printf(&line, "%" PRIu64 "\n", next_count(folder));
	add_block(&out, COUNT, &line);
	text_clear(&line);
	if (!uname(&uts)) {
		text_printf(&line, "%s %s %s %s", uts.sysname, uts.nodename, uts.release,
			    uts.machine);
		add_block(&out, "uname", &line);
	}
	if (!ret && !last_boot_text_now(prefix))
		ret = ft_error_set(err, FT_E_UNSUPPORTED, -1,
				   "the kernel hides its symbols (kptr_restrict): without their "
				   "addresses, nobody can tell later which boot filled a buffer");
	ret = ret ?: add_proc(&out, prefix, "kallsyms", err);
	if (!ret) {
		add_proc(&out, prefix, "modules", NULL);
		add_file(&out, root, "printk_formats");
		add_file(&out, root, "saved_cmdlines");
		add_file(&out, root, "dynamic_events");
		add_formats(&out, root);
		ret = small_file_replace(text_str(path), &out, 0600, err);
	}
	if (!ret)
		ret = finish(folder, text_str(path), removed, err);
	text_fini(&line);
	text_fini(&out);
	return ret;
}

/* --- finding ---------------------------------------------------------------------------------- */

static const struct saved_file *find_file(const struct saved_boot *saved, const char *name)
{
	for (size_t i = 0; i < saved->nr; i++)
		if (!strcmp(saved->files[i].name, name))
			return &saved->files[i];
	return NULL;
}

/* Bytes of the lines that both begin with. */
static size_t common_lines(const struct saved_file *a, const struct saved_file *b)
{
	size_t same = 0, i = 0;

	for (; b && i < a->len && i < b->len && a->bytes[i] == b->bytes[i]; i++)
		if (a->bytes[i] == '\n')
			same = i + 1;
	return b && i == a->len && i == b->len ? i : same;
}

void saved_boot_file(const struct saved_boot *saved, const char *name, struct text *out)
{
	const struct saved_file *file = find_file(saved, name);
	size_t len = file ? file->len : 0;

	for (const struct saved_boot *other = saved->also; other && file; other = other->also) {
		size_t same = common_lines(file, find_file(other, name));

		len = len < same ? len : same;
	}
	text_clear(out);
	if (file)
		text_bytes(out, file->bytes, len);
}

/* False: it is damaged, or of another version. */
static bool split(struct saved_boot *saved)
{
	char *p = saved->text.data, *end = p + saved->text.len;

	if (saved->text.len < sizeof(HEAD) || strncmp(p, HEAD, sizeof(HEAD) - 1))
		return false;
	for (p += sizeof(HEAD) - 1; p < end;) {
		char *name, *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = strtoull(p, &name, 10);

		if (*name != ' ' || !newline || len > (size_t)(end - newline - 1))
			return false;
		*newline = '\0';
		mem_grow(&saved->files, saved->nr, &saved->cap);
		saved->files[saved->nr++] = (struct saved_file){ .name = name + 1,
								 .bytes = newline + 1, .len = len };
		p = newline + 1 + len;
	}
	return true;
}

void saved_boot_free(struct saved_boot *saved)
{
	if (!saved)
		return;
	saved_boot_free(saved->also);
	text_fini(&saved->text);
	free(saved->files);
	free(saved->id);
	free(saved);
}

static struct saved_boot *load(const char *folder, const struct boot_file *file)
{
	struct saved_boot *saved = mem_alloc(sizeof(*saved));

	saved->id = mem_strdup(file->name);
	saved->saved = file->saved;
	if (!small_file_read(TRACEFS_TEXT("%s/%s", folder, file->name), MOST_BYTES, &saved->text,
			     NULL) &&
	    split(saved))
		return saved;
	saved_boot_free(saved);
	return NULL;
}

static bool may_be(struct saved_boot *saved, const struct last_boot *last)
{
	struct text kallsyms = { 0 }, modules = { 0 };
	bool is;

	saved_boot_file(saved, "kallsyms", &kallsyms);
	saved_boot_file(saved, "modules", &modules);
	is = last_boot_was(last, &kallsyms, &modules, &saved->has_more);
	saved->is_fixed = last_boot_is_fixed(last);
	text_fini(&kallsyms);
	text_fini(&modules);
	return is;
}

struct saved_boot *saved_boot_find(const struct last_boot *last, const char *folder)
{
	struct saved_boot *found = NULL, **to = &found;
	struct boot_files files = list_boots(folder);
	char boot[OWNER_BOOT_BYTES];

	owner_boot_id(boot);
	for (size_t i = 0; i < files.nr; i++) {
		*to = strcmp(files.list[i].name, boot) ? load(folder, &files.list[i]) : NULL;
		if (*to && may_be(*to, last)) {
			to = &(*to)->also;
		} else {
			saved_boot_free(*to);
			*to = NULL;
		}
	}
	boot_files_fini(&files);
	return found;
}

/* --- what is sure ----------------------------------------------------------------------------- */

/* Names of the tracepoints of modules, by the function that calls their probes. */
static void find_module_events(const struct saved_boot *saved, struct name_list *names)
{
	static const char key[] = " __traceiter_";
	const struct saved_file *file = find_file(saved, "kallsyms");
	const char *end = file ? file->bytes + file->len : NULL, *p = file ? file->bytes : NULL;

	while (p && (p = memmem(p, (size_t)(end - p), key, sizeof(key) - 1))) {
		size_t len;

		p += sizeof(key) - 1;
		len = strcspn(p, "\t\n");
		if (p[len] == '\t')
			name_list_add_bytes(names, p, len);
	}
}

static bool is_same_in_all(const struct saved_boot *saved, const struct saved_file *file)
{
	for (const struct saved_boot *other = saved->also; other; other = other->also) {
		const struct saved_file *same = find_file(other, file->name);

		if (!same || same->len != file->len || memcmp(same->bytes, file->bytes, file->len))
			return false;
	}
	return true;
}

/* "events/SYSTEM/NAME/format": the parts between the slashes. */
static bool is_format(const struct saved_file *file, char *system, char *name)
{
	int end = 0;

	return sscanf(file->name, "events/%127[^/]/%127[^/]/format%n", system, name, &end) == 2 &&
	       end && !file->name[end];
}

unsigned int
saved_boot_formats(const struct saved_boot *saved,
		   void (*add)(void *arg, const char *system, const struct text *format), void *arg)
{
	struct name_list modules = { 0 };
	char system[128], name[128];
	unsigned int unsure = 0;

	if (saved->has_more)
		find_module_events(saved, &modules);
	for (size_t i = 0; i < saved->nr; i++) {
		const struct saved_file *file = &saved->files[i];
		struct text format = { 0 };

		if (!is_format(file, system, name))
			continue;
		if (!is_same_in_all(saved, file) || name_list_has(&modules, name)) {
			unsure++;
			continue;
		}
		text_bytes(&format, file->bytes, file->len);
		add(arg, system, &format);
		text_fini(&format);
	}
	name_list_fini(&modules);
	return unsure;
}

void saved_boot_tell(const struct saved_boot *saved, unsigned int unsure, struct text *out)
{
	const struct saved_file *probes = find_file(saved, "dynamic_events");
	unsigned int nr = 0;
	time_t time = (time_t)saved->saved;
	char when[64] = "";
	struct tm tm;

	for (const struct saved_boot *other = saved; other; other = other->also)
		nr++;
	if (localtime_r(&time, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	text_printf(out, "formats and symbols of boot %s, saved at %s\n", saved->id, when);
	if (saved->is_fixed)
		text_add(out,
			 "the kernel was where it is now (nokaslr), so it is not sure that this "
			 "boot filled the buffer\n");
	if (nr > 1)
		text_printf(out,
			    "%u saved boots may have filled the buffer: only formats and symbols "
			    "that all have are used\n",
			    nr);
	if (saved->has_more)
		text_add(out,
			 "it may have loaded or unloaded modules after it was saved: formats of "
			 "modules are not used\n");
	if (unsure)
		text_printf(out,
			    "%u formats are not used: records of these events have no fields\n",
			    unsure);
	if (probes && probes->len)
		text_add(out, "events of probes are shown as they were defined at that time\n");
}
