/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/perfetto_tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "src/base/json_out.h"
#include "src/base/output.h"

#define BLOCK		512
#define MOST_BYTES	(INT64_C(1) << 33)	/* 11 octal digits */

/* POSIX.1-1988, ustar: numbers are octal digits. */
struct tar_head {
	char	name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char	magic[6], version[2], rest[247];
};

_Static_assert(sizeof(struct tar_head) == BLOCK, "a head is a block");

int64_t perfetto_tar_begin(int fd, struct ft_error *err)
{
	int64_t start = lseek(fd, 0, SEEK_END);

	if (start < 0 || ftruncate(fd, start + BLOCK) || lseek(fd, start + BLOCK, SEEK_SET) < 0)
		return ft_error_errno(err, errno, -1, "several traces need a file to write to");
	return start;
}

static void fill_head(struct tar_head *head, const char *name, int64_t size)
{
	const unsigned char *bytes = (const unsigned char *)head;
	unsigned int sum = 0;

	*head = (struct tar_head){ .mode = "0000644", .uid = "0000000", .gid = "0000000",
				   .mtime = "00000000000", .type = '0', .magic = "ustar",
				   .version = { '0', '0' } };
	snprintf(head->name, sizeof(head->name), "%s", name);
	snprintf(head->size, sizeof(head->size), "%011" PRIo64, size);
	memset(head->sum, ' ', sizeof(head->sum));
	for (unsigned int i = 0; i < sizeof(*head); i++)
		sum += bytes[i];
	snprintf(head->sum, sizeof(head->sum), "%06o", sum);
}

int perfetto_tar_end(int fd, int64_t start, const char *name, struct ft_error *err)
{
	int64_t end = lseek(fd, 0, SEEK_END), size = end - start - BLOCK;
	struct tar_head head;

	if (size >= MOST_BYTES)
		return ft_error_set(err, FT_E_LIMIT, -1,
				    "%s: %" PRId64
				    " bytes: a tar for Perfetto takes less than %" PRId64
				    "; --from and --to select a part",
				    name, size, MOST_BYTES);
	fill_head(&head, name, size);
	if (end < 0 || pwrite(fd, &head, sizeof(head), start) != sizeof(head) ||
	    ftruncate(fd, (end + BLOCK - 1) / BLOCK * BLOCK))
		return ft_error_errno(err, errno, -1, "cannot write the tar");
	return 0;
}

/* The files' times are the same; a file of which nothing is told is placed by its wall clock. */
static void add_clocks(struct text *out, const char *first)
{
	json_out_object(out, "clocks");
	json_out_string(out, "clock", "BOOTTIME");
	json_out_object(out, "sync_to");
	json_out_string(out, "file", first);
	json_out_string(out, "clock", "BOOTTIME");
	json_out_end(out, '}');
	json_out_end(out, '}');
}

int perfetto_tar_manifest(int fd, const char *const *names, unsigned int nr, bool aligned,
			  struct ft_error *err)
{
	int64_t start = perfetto_tar_begin(fd, err);
	struct text out = { 0 };

	if (start < 0)
		return -1;
	json_out_object(&out, NULL);
	json_out_object(&out, "perfetto_manifest");
	json_out_u64(&out, "version", 1);
	json_out_array(&out, "files");
	for (unsigned int i = 0; i < nr; i++) {
		json_out_object(&out, NULL);
		json_out_string(&out, "path", names[i]);
		json_out_object(&out, "machine");
		json_out_bytes(&out, "name", names[i], strlen(names[i]) - strlen(".pftrace"));
		json_out_end(&out, '}');
		if (i && aligned)
			add_clocks(&out, names[0]);
		json_out_end(&out, '}');
	}
	json_out_end(&out, ']');
	json_out_end(&out, '}');
	json_out_end(&out, '}');
	if (output_whole(fd, &out, err) ||
	    perfetto_tar_end(fd, start, "perfetto_manifest.json", err))
		return -1;
	start = lseek(fd, 0, SEEK_END);
	return ftruncate(fd, start + 2 * BLOCK) ?
		       ft_error_errno(err, errno, -1, "cannot write the tar") :
		       0;
}
