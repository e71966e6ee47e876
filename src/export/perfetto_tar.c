/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfetto_tar - several traces as one. */
#include "src/export/perfetto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define BLOCK		512
#define MOST_BYTES	(INT64_C(1) << 33)	/* 11 octal digits */

/* POSIX.1-1988, ustar: numbers are octal digits. */
struct tar_head {
	char	name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char	magic[6], version[2], rest[247];
};

_Static_assert(sizeof(struct tar_head) == BLOCK, "a head is a block");

int perfetto_tar_begin(struct perfetto_tar *tar, int fd, struct ft_error *err)
{
	tar->fd = fd;
	tar->start = lseek(fd, 0, SEEK_END);
	if (tar->start < 0 || ftruncate(fd, tar->start + BLOCK) ||
	    lseek(fd, tar->start + BLOCK, SEEK_SET) < 0)
		return ft_error_errno(err, errno, -1, "several traces need a file to write to");
	return 0;
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

static int end_member(const struct perfetto_tar *tar, const char *name, struct ft_error *err)
{
	int64_t end = lseek(tar->fd, 0, SEEK_END), size = end - tar->start - BLOCK;
	struct tar_head head;

	if (size >= MOST_BYTES)
		return ft_error_set(err, FT_E_LIMIT, -1,
				    "%s: %" PRId64
				    " bytes: a tar for Perfetto takes less than %" PRId64
				    "; --from and --to select a part",
				    name, size, MOST_BYTES);
	fill_head(&head, name, size);
	if (end < 0 || pwrite(tar->fd, &head, sizeof(head), tar->start) != sizeof(head) ||
	    ftruncate(tar->fd, (end + BLOCK - 1) / BLOCK * BLOCK))
		return ft_error_errno(err, errno, -1, "cannot write the tar");
	return 0;
}

int perfetto_tar_end(struct perfetto_tar *tar, const struct text *machine, bool aligned,
		     struct ft_error *err)
{
	struct text *out = &tar->manifest, name = { 0 };
	int ret;

	text_printf(&name, "%s.pftrace", text_str(machine));
	ret = end_member(tar, text_str(&name), err);
	text_add(out, out->len ? "," : "{\"perfetto_manifest\":{\"version\":1,\"files\":[");
	text_printf(out, "{\"path\":\"%s\",\"machine\":{\"name\":\"%s\"}", text_str(&name),
		    text_str(machine));
	if (!tar->first.len)
		text_add(&tar->first, text_str(&name));
	else if (aligned)		/* else files are placed by their wall clocks */
		text_printf(out,
			    ",\"clocks\":{\"clock\":\"BOOTTIME\",\"sync_to\":"
			    "{\"file\":\"%s\",\"clock\":\"BOOTTIME\"}}",
			    text_str(&tar->first));
	text_char(out, '}');
	text_fini(&name);
	return ret;
}

int perfetto_tar_manifest(struct perfetto_tar *tar, struct ft_error *err)
{
	text_add(&tar->manifest, "]}}");
	if (perfetto_tar_begin(tar, tar->fd, err) || output_whole(tar->fd, &tar->manifest, err) ||
	    end_member(tar, "perfetto_manifest.json", err))
		return -1;
	return ftruncate(tar->fd, lseek(tar->fd, 0, SEEK_END) + 2 * BLOCK) ?
		       ft_error_errno(err, errno, -1, "cannot write the tar") :
		       0;
}

void perfetto_tar_fini(struct perfetto_tar *tar)
{
	text_fini(&tar->manifest);
	text_fini(&tar->first);
}
