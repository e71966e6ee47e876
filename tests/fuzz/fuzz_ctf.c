/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_ctf - takes the bytes as what a helper tells that a hostile trace of LTTng has taken over,
 * and walks the records of all pages that the program makes of it.
 */
#include "parsers/open/open.h"
#include "tests/fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "parsers/ctf/ctf_source.h"
#include "parsers/ctf/ctf_wire.h"
#include "parsers/spool/spool.h"
#include "tests/fuzz/page_check.h"
#include "tests/lib/limits.h"

#define MAX_TOLD	(128u << 10)	/* it must fit into a socket */

const char fuzz_name[] = "fuzz_ctf";

static const uint8_t *told;
static size_t told_size;
static int helper = -1;			/* its end of the socket: it gets the folder there */

/* A helper that tells all at once, and then nothing. */
static int start(void)
{
	int ends[2];

	if (helper >= 0)
		close(helper);
	helper = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	assert(send(ends[1], told, told_size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)told_size);
	shutdown(ends[1], SHUT_WR);
	helper = ends[1];
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ft_error err = { 0 };

	told = data;
	told_size = size < MAX_TOLD ? size : MAX_TOLD;
	ctf_set_helper(&(struct ctf_helper_ways){ start, NULL, LIMIT_MS });
	check_opened(source_open("/", -1, &err), SPOOL_PAGE_BYTES);
	if (helper >= 0)
		close(helper);
	helper = -1;
	return 0;
}

static void tell(struct text *out, struct ctf_head head, const void *bytes, uint32_t size)
{
	head.bytes = size;
	text_bytes(out, (const char *)&head, sizeof(head));
	text_bytes(out, bytes, size);
}

static void tell_text(struct text *out, struct ctf_head head, const char *text)
{
	tell(out, head, text, (uint32_t)strlen(text));
}

static void tell_record(struct text *out, uint16_t host, uint32_t cpu, uint64_t ts, uint16_t type)
{
	const struct {
		uint16_t type, flags;
		int32_t pid, value;
	} record = { type, 0, 11, 5 };

	tell(out, (struct ctf_head){ .kind = CTF_RECORD, .host = host, .cpu = cpu, .ts = ts },
	     &record, sizeof(record));
}

/* A trace of two hosts, whose records come out of order. */
void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static const char format[] =
		"sched\nsched:sched_switch\nname: sched_switch\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"value=%d\", REC->value\n";
	struct text out = { 0 };

	tell_text(&out, (struct ctf_head){ .kind = CTF_HOST }, "one");
	tell_text(&out, (struct ctf_head){ .kind = CTF_HOST, .host = 1 }, "two");
	tell_text(&out, (struct ctf_head){ .kind = CTF_UNAME }, "Linux 6.1");
	tell_text(&out, (struct ctf_head){ .kind = CTF_WRITER }, "lttng-modules 2.13");
	tell_text(&out, (struct ctf_head){ .kind = CTF_CLOCK }, "mono");
	tell_text(&out, (struct ctf_head){ .kind = CTF_WALL, .ts = 1700000000000000000 }, "");
	tell_text(&out, (struct ctf_head){ .kind = CTF_SIZE, .ts = 4096 }, "");
	tell_text(&out, (struct ctf_head){ .kind = CTF_AT }, "a folder");
	tell_text(&out, (struct ctf_head){ .kind = CTF_WARNING }, "damaged");
	tell_text(&out, (struct ctf_head){ .kind = CTF_AT, .id = CTF_NO_TRACE }, "");
	tell_text(&out, (struct ctf_head){ .kind = CTF_FORMAT, .id = 7,
						.cpu = FORMAT_LACKS_CPU }, format);
	tell_text(&out, (struct ctf_head){ .kind = CTF_TASK, .id = 11, .cpu = 10 }, "work");
	tell_record(&out, 0, 1, 300, 7);
	tell_record(&out, 0, 1, 100, 7);
	tell_text(&out, (struct ctf_head){ .kind = CTF_LOST, .cpu = 1, .ts = 350, .id = 3 }, "");
	tell_record(&out, 0, 1, 400, 7);
	tell_record(&out, 1, 0, 200, 7);
	tell_text(&out, (struct ctf_head){ .kind = CTF_TASK, .id = 11, .ts = 250 }, "other");
	tell_text(&out, (struct ctf_head){ .kind = CTF_DONE, .ts = 4096 }, "");
	tell_text(&out, (struct ctf_head){ .kind = CTF_WARNING }, "a packet is cut short");
	add(arg, text_str(&out), out.len);
	tell_text(&out, (struct ctf_head){ .kind = CTF_END }, "");
	add(arg, text_str(&out), out.len);
	text_clear(&out);
	tell_text(&out, (struct ctf_head){ .kind = CTF_FAILED }, "no trace is here");
	add(arg, text_str(&out), out.len);
	text_fini(&out);
}
