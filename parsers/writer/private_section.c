/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/writer/private_section.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/io/byte_reader.h"
#include "parsers/io/out.h"
#include "parsers/io/trace_format.h"

int private_section_append(int fd, bool big_endian, const struct text *text, struct ft_error *err)
{
	struct out out = { .fd = fd, .swap = big_endian != HOST_BIG_ENDIAN };
	struct stat st;

	if (fstat(fd, &st))
		return ft_error_errno(err, errno, -1, "cannot add to the file");
	out.pos = (uint64_t)st.st_size;
	out_u16(&out, TRACE_SECTION_PRIVATE);
	out_u16(&out, 0);
	out_u32(&out, UINT32_MAX);	/* no description */
	out_u64(&out, text->len + 8);
	out_text(&out, text);
	out_u64(&out, (uint64_t)st.st_size);
	out_flush(&out);
	out_fini(&out);
	if (!out.errnum)
		return 0;
	return ftruncate(fd, st.st_size) ?
		       ft_error_errno(
			       err, errno, -1,
			       "cannot add to the file, and what was added stays at its end") :
		       ft_error_errno(err, out.errnum, -1, "cannot add to the file");
}
