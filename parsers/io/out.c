/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/out.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "parsers/io/byte_reader.h"

#define OUT_BLOCK	(256u << 10)	/* bytes of one write */

void out_fini(struct out *out)
{
	text_fini(&out->pending);
}

static void write_at(struct out *out, const char *data, size_t len, uint64_t pos)
{
	while (len && !out->errnum) {
		ssize_t n = pwrite(out->fd, data, len, (off_t)pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			out->errnum = n < 0 ? errno : EIO;
			out->err_pos = pos;
			return;
		}
		data += n;
		len -= (size_t)n;
		pos += (uint64_t)n;
	}
}

void out_flush(struct out *out)
{
	if (out->pending.len)
		write_at(out, out->pending.data, out->pending.len, out->pos - out->pending.len);
	text_clear(&out->pending);
}

void out_bytes(struct out *out, const void *data, size_t len)
{
	if (!len)
		return;
	if (len >= OUT_BLOCK) {
		out_flush(out);
		write_at(out, data, len, out->pos);
		out->pos += len;
		return;
	}
	text_bytes(&out->pending, data, len);
	out->pos += len;
	if (out->pending.len >= OUT_BLOCK)
		out_flush(out);
}

void out_align(struct out *out, uint64_t align)
{
	static const char zeros[4096];
	uint64_t left = (align - out->pos % align) % align;

	for (; left > sizeof(zeros); left -= sizeof(zeros))
		out_bytes(out, zeros, sizeof(zeros));
	out_bytes(out, zeros, left);
}

void out_put_u16(const struct out *out, struct text *t, uint16_t v)
{
	v = load_u16(&v, out->swap);
	text_bytes(t, (const char *)&v, sizeof(v));
}

void out_put_u32(const struct out *out, struct text *t, uint32_t v)
{
	v = load_u32(&v, out->swap);
	text_bytes(t, (const char *)&v, sizeof(v));
}

void out_put_u64(const struct out *out, struct text *t, uint64_t v)
{
	v = load_u64(&v, out->swap);
	text_bytes(t, (const char *)&v, sizeof(v));
}

void out_u16(struct out *out, uint16_t v)
{
	v = load_u16(&v, out->swap);
	out_bytes(out, &v, sizeof(v));
}

void out_u32(struct out *out, uint32_t v)
{
	v = load_u32(&v, out->swap);
	out_bytes(out, &v, sizeof(v));
}

void out_u64(struct out *out, uint64_t v)
{
	v = load_u64(&v, out->swap);
	out_bytes(out, &v, sizeof(v));
}

void out_text(struct out *out, const struct text *t)
{
	out_bytes(out, t->data, t->len);
}

void out_string(struct out *out, const char *s)
{
	out_bytes(out, s, strlen(s) + 1);
}

void out_patch_u32(struct out *out, uint64_t pos, uint32_t v)
{
	out_flush(out);
	v = load_u32(&v, out->swap);
	write_at(out, (const char *)&v, sizeof(v), pos);
}

void out_patch_u64(struct out *out, uint64_t pos, uint64_t v)
{
	out_flush(out);
	v = load_u64(&v, out->swap);
	write_at(out, (const char *)&v, sizeof(v), pos);
}

void out_sync(struct out *out)
{
	out_flush(out);
	/* EINVAL: a pipe or a device, which has nothing to sync */
	if (!out->errnum && fsync(out->fd) && errno != EINVAL) {
		out->errnum = errno;
		out->err_pos = out->pos;
	}
}

void out_put_string(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s) + 1);
}
