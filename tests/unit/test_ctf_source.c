/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_source: what becomes of a trace whose helper dies, lies, or is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parsers/ctf/ctf_helper.h"
#include "parsers/ctf/ctf_source.h"
#include "parsers/ctf/ctf_wire.h"
#include "parsers/open/open.h"
#include "src/base/framing.h"

#define FORMAT	"lttng\nname: e\nID: 1\nformat:\n" \
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"

/* What a helper says, one message after the other. */
struct saying {
	struct ctf_head	 head;
	const char	*bytes;
	size_t		 len;		/* really sent */
};

static const uint16_t record[4] = { 1 }, unknown[4] = { 2 };

#define HOST	{ { .bytes = 1, .kind = CTF_HOST }, "h", 1 }
#define TYPE	{ { .bytes = sizeof(FORMAT) - 1, .kind = CTF_FORMAT, .id = 1 }, FORMAT, \
		  sizeof(FORMAT) - 1 }
#define RECORD	{ { .bytes = 8, .kind = CTF_RECORD, .ts = 5 }, (const char *)record, 8 }
#define END	{ { .kind = CTF_END }, "", 0 }

static const struct saying *sayings;
static pid_t helper;

static int start(void)
{
	int ends[2];
	char byte;
	int folder;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	helper = fork();
	if (!helper) {
		close(ends[0]);
		if (framing_receive_fds(ends[1], &byte, 1, &folder, 1) != 1)
			_exit(1);
		for (const struct saying *s = sayings; s->head.kind; s++)
			framing_send(ends[1], &s->head, sizeof(s->head), s->bytes, s->len,
				     FRAMING_NO_LIMIT);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

/* @pages: of the source; -1: it is refused.  @words: of the error or the first warning, or NULL. */
static void expect(const struct saying *says, int pages, const char *words)
{
	struct ft_error err = { 0 };
	struct source *source;

	sayings = says;
	source = source_open("/", -1, &err);
	waitpid(helper, NULL, 0);
	assert_int_equal(source != NULL, pages >= 0);
	if (!source) {
		assert_non_null(strstr(err.message, words));
		return;
	}
	assert_int_equal(source_nr_streams(source), pages);
	assert_int_equal(source_nr_warnings(source), words != NULL);
	if (words)
		assert_non_null(strstr(source_warning(source, 0).message, words));
	source_close(source);
}

static void test_says(void **state)
{
	static const struct saying silent
		[] = { { .bytes = NULL } },
	  whole[] = { HOST, TYPE, RECORD, END, { .bytes = NULL } },
	  dies[] = { HOST, TYPE, RECORD, { .bytes = NULL } },
	  no_type[] = { HOST, RECORD, END, { .bytes = NULL } },
	  other_type[] = { HOST,   TYPE,
			   RECORD, { { .bytes = 8, .kind = CTF_RECORD }, (const char *)unknown, 8 },
			   END,    { .bytes = NULL } },
	  no_host[] = { TYPE, RECORD, END, { .bytes = NULL } },
	  twice[] = { HOST, TYPE, RECORD, TYPE, END, { .bytes = NULL } },
	  odd[] = { HOST,
		    TYPE,
		    { { .bytes = 7, .kind = CTF_RECORD }, (const char *)record, 7 },
		    END,
		    { .bytes = NULL } },
	  longer[] = { HOST,
		       TYPE,
		       RECORD,
		       { { .bytes = CTF_MAX_BYTES + 1, .kind = CTF_WARNING }, "", 0 },
		       { .bytes = NULL } },
	  nonsense[] = { HOST, TYPE, RECORD, { { .kind = 99 }, "", 0 }, END, { .bytes = NULL } },
	  warns[] = { HOST,
		      { { .bytes = 4, .kind = CTF_WARNING }, "soso", 4 },
		      END,
		      { .bytes = NULL } },
	  failed[] = { { { .bytes = 3, .kind = CTF_FAILED }, "why", 3 }, END, { .bytes = NULL } };
	static const char missing[] = "the rest is missing";

	(void)state;
	expect(silent, -1, "crashed");
	expect(whole, 1, NULL);
	expect(dies, 1, missing);
	expect(no_type, 0, missing);
	expect(other_type, 1, missing);
	expect(no_host, -1, "crashed");
	expect(twice, 1, missing);
	expect(odd, 0, missing);
	expect(longer, 1, missing);
	expect(nonsense, 1, missing);
	expect(warns, 0, "soso");
	expect(failed, -1, "why");
}

static uint64_t told[8];
static unsigned int nr_told;

static void keep(void *arg, const char *path, uint64_t done, uint64_t size)
{
	assert_ptr_equal(arg, told);
	assert_string_equal(path, "/");
	assert_int_equal(size, 100);
	told[nr_told++] = done;
}

static void test_how_far(void **state)
{
	static const struct saying says[] = {
		HOST,
		{ { .kind = CTF_SIZE, .ts = 100 }, "", 0 },
		{ { .kind = CTF_DONE, .ts = 7 }, "", 0 },
		TYPE,
		RECORD,
		{ { .kind = CTF_DONE, .ts = 1000 }, "", 0 },	/* it lies */
		{ { .kind = CTF_DONE, .ts = 99 }, "", 0 },
		END,
		{ .bytes = NULL }
	};
	const struct open_progress progress = { keep, told };
	struct ft_error err = { 0 };

	(void)state;
	sayings = says;
	source_close(source_open_with("/", -1, &(struct source_options){ .progress = &progress },
				      &err));
	waitpid(helper, NULL, 0);
	assert_int_equal(nr_told, 4);
	assert_int_equal(told[0], 7);
	assert_int_equal(told[1], 100);
	assert_int_equal(told[2], 99);
	assert_int_equal(told[3], 100);
}

static void test_not_there(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	ctf_set_helper(NULL);
	assert_null(source_open("/", -1, &err));
	assert_non_null(strstr(err.message, "could not be started"));
	ctf_set_helper(start);
}

static void test_not_built(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_null(source_open("/", -1, &err));
	assert_non_null(strstr(err.message, "without libbabeltrace2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_says),
		cmocka_unit_test(test_how_far),
		cmocka_unit_test(test_not_there),
	};
	const struct CMUnitTest without[] = { cmocka_unit_test(test_not_built) };

	ctf_set_helper(start);
	return ctf_helper_is_built() ? cmocka_run_group_tests(tests, NULL, NULL) :
				       cmocka_run_group_tests(without, NULL, NULL);
}
