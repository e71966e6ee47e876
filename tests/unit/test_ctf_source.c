/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_source: what becomes of a trace whose helper dies, lies, or is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parsers/ctf/ctf_helper.h"
#include "parsers/ctf/ctf_source.h"
#include "parsers/ctf/ctf_wire.h"
#include "parsers/open/open.h"
#include "src/base/framing.h"
#include "tests/lib/limits.h"

#define FORMAT	"lttng\na.e\nname: e\nID: 1\nformat:\n" \
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
#define ALIVE	{ { .kind = CTF_ALIVE }, "", 0 }
#define AT(nr, name) { { .bytes = 1, .kind = CTF_AT, .id = (nr) }, name, 1 }
#define DAMAGED	{ { .bytes = 7, .kind = CTF_WARNING }, "damaged", 7 }
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
	  whole[] = { HOST, ALIVE, TYPE, RECORD, ALIVE, ALIVE, END, { .bytes = NULL } },
	  dies[] = { HOST, TYPE, RECORD, { .bytes = NULL } },
	  no_name[] = { HOST,
			{ { .bytes = 6, .kind = CTF_FORMAT, .id = 1 }, FORMAT, 6 },
			END,
			{ .bytes = NULL } },
	  lacks_more[] = { HOST,
			   { { .bytes = sizeof(FORMAT) - 1, .kind = CTF_FORMAT, .id = 1,
			       .cpu = FORMAT_LACKS_ALL + 1 },
			     FORMAT, sizeof(FORMAT) - 1 },
			   END,
			   { .bytes = NULL } },
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
	expect(silent, -1, "ended too early");
	expect(whole, 1, NULL);
	expect(no_name, 0, missing);
	expect(lacks_more, 0, missing);
	expect(dies, 1, missing);
	expect(no_type, 0, missing);
	expect(other_type, 1, missing);
	expect(no_host, -1, "ended too early");
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

/* It has said something, and goes on to be there: all is sent before it is listened to. */
static int talking_end = -1;

static int start_that_falls_silent(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	for (const struct saying *s = sayings; s->head.kind; s++)
		framing_send(ends[1], &s->head, sizeof(s->head), s->bytes, s->len,
			     FRAMING_NO_LIMIT);
	talking_end = ends[1];
	return ends[0];
}

static int nr_asked;

static const char *note_asked(int fd, char *buf, size_t size)
{
	(void)buf;
	(void)size;
	assert_true(fd >= 0);
	nr_asked++;
	return "was killed";
}

static void keep_any(void *arg, const char *path, uint64_t done, uint64_t size)
{
	(void)path;
	(void)size;
	assert_ptr_equal(arg, told);
	told[nr_told++ % 8] = done;
}

/* Who waits for it sees how far it was, and then what there was. */
static void test_silence(void **state)
{
	static const struct saying dies[] = {
		HOST,	TYPE,
		RECORD, { { .kind = CTF_SIZE, .ts = 100 }, "", 0 },
		ALIVE,	{ .bytes = NULL }
	};
	const struct open_progress progress = { keep_any, told };
	struct ft_error err = { 0 };
	struct source *source;

	(void)state;
	ctf_set_helper(&(struct ctf_helper_ways){ start_that_falls_silent, note_asked, 1000 });
	sayings = dies;
	nr_told = 0;
	source = source_open_with("/", -1, &(struct source_options){ .progress = &progress }, &err);
	assert_non_null(source);
	assert_int_equal(source_nr_streams(source), 1);
	assert_int_equal(source_nr_warnings(source), 1);
	assert_string_equal(source_warning(source, 0).message,
			    "libbabeltrace2 did not answer for 1 s: the rest is missing");
	source_close(source);
	close(talking_end);
	assert_int_equal(nr_asked, 1);	/* which ends it */
	assert_true(nr_told >= 2);	/* while it was silent, and that all is read */
	assert_int_equal(told[0], 0);
	sayings += 5;			/* nothing at all */
	assert_null(source_open("/", -1, &err));
	assert_non_null(strstr(err.message, "libbabeltrace2 did not answer for 1 s"));
	close(talking_end);
	ctf_set_helper(&(struct ctf_helper_ways){ start, NULL, LIMIT_MS });
}

/* --- a trace that kills its helper ------------------------------------------------------------ */

static const struct saying *const *lives;	/* what each helper says before it ends */
static int mortal_ends[8], nr_mortal;

static int start_mortal(void)
{
	int fd;

	sayings = lives[nr_mortal];
	fd = start_that_falls_silent();
	shutdown(talking_end, SHUT_WR);
	mortal_ends[nr_mortal++] = talking_end;
	return fd;
}

/* What helper @i was asked to leave out. */
static struct ctf_ask asked(int i)
{
	struct ctf_ask ask;
	int folder;

	assert_int_equal(framing_receive_fds(mortal_ends[i], &ask, sizeof(ask), &folder, 1), 1);
	close(folder);
	close(mortal_ends[i]);
	return ask;
}

static void test_left_out(void **state)
{
	static const struct saying first[] = { AT(0, "a"), DAMAGED, AT(1, "b"),
					       { .bytes = NULL } },
				   other[] = { AT(0, "a"), DAMAGED, AT(2, "c"), AT(CTF_NO_TRACE, ""),
					       HOST, TYPE, RECORD, END, { .bytes = NULL } };
	struct ft_error err = { 0 };
	struct source *source;

	(void)state;
	ctf_set_helper(&(struct ctf_helper_ways){ start_mortal, NULL, LIMIT_MS });
	lives = (const struct saying *const[]){ first, other };
	source = source_open("/", -1, &err);
	assert_non_null(source);
	assert_int_equal(source_nr_streams(source), 1);
	assert_int_equal(source_nr_warnings(source), 2);	/* each once */
	assert_string_equal(source_warning(source, 0).message, "damaged");
	assert_string_equal(source_warning(source, 1).message, "b: libbabeltrace2 ended too early");
	source_close(source);
	assert_int_equal(nr_mortal, 2);
	assert_int_equal(asked(0).nr, 0);
	assert_int_equal(asked(1).nr, 1);
	nr_mortal = 0;
	lives = (const struct saying *const[]){ first, first, first, first };
	assert_null(source_open("/", -1, &err));
	assert_int_equal(nr_mortal, 1 + CTF_MOST_LEFT_OUT);
	for (int i = 0; i < nr_mortal; i++)
		asked(i);
	ctf_set_helper(&(struct ctf_helper_ways){ start, NULL, LIMIT_MS });
}

/* --- the helper itself ----------------------------------------------------------------------- */

/* In place of a library that waits for a slow disk. */
static void wait_in_folder(int folder)
{
	struct itimerval limit;

	(void)folder;
	if (getitimer(ITIMER_PROF, &limit) || !limit.it_value.tv_sec ||
	    limit.it_value.tv_sec > CTF_SECONDS)
		_exit(1);		/* one that computes would not be ended */
	for (;;)
		pause();
}

static void test_signs_of_life(void **state)
{
	int ends[2], folder = open("/", O_RDONLY | O_DIRECTORY);
	const struct ctf_ask ask = { 0 };
	struct ctf_head head;
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		ctf_helper_serve(ends[1], wait_in_folder);
		_exit(2);
	}
	close(ends[1]);
	assert_int_equal(framing_send_fds(ends[0], &ask, sizeof(ask), &folder, 1), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(framing_receive(ends[0], &head, sizeof(head), FRAMING_NO_LIMIT),
				 0);
		assert_int_equal(head.kind, CTF_ALIVE);
		assert_int_equal(head.bytes, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(folder);
}

static void test_not_there(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	ctf_set_helper(&(struct ctf_helper_ways){ NULL, NULL, LIMIT_MS });
	assert_null(source_open("/", -1, &err));
	assert_non_null(strstr(err.message, "could not be started"));
	ctf_set_helper(&(struct ctf_helper_ways){ start, NULL, LIMIT_MS });
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
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_signs_of_life),
		cmocka_unit_test(test_not_there),
	};
	const struct CMUnitTest without[] = { cmocka_unit_test(test_not_built) };

	ctf_set_helper(&(struct ctf_helper_ways){ start, NULL, LIMIT_MS });
	return ctf_helper_is_built() ? cmocka_run_group_tests(tests, NULL, NULL) :
				       cmocka_run_group_tests(without, NULL, NULL);
}
