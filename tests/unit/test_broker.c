/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker: asked by a process that is shut in, as the screen is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "src/base/shell_words.h"
#include "src/recording/measure_keys.h"
#include "src/recording/ready_setups.h"
#include "src/sandbox/broker_private.h"
#include "src/sandbox/confine.h"
#include "tests/lib/limits.h"
#include "tests/lib/refused_calls.h"

static char folder[64], program[96];
static struct broker *broker;
static struct confine in_force;

static enum option_risk judge_word(const char *value)
{
	return !strcmp(value, "shell") ? OPTION_RISK_SHELL :
	       !strcmp(value, "known") ? OPTION_RISK_NONE :
					 OPTION_RISK_UNKNOWN;
}

static const struct option_def record_options[] = {
	{ "output", 'o', "FILE", 0, "file", OPTION_HARMLESS },
	{ "user", 0, "USER", 1, "user", OPTION_HARMLESS },
	{ "check", 0, NULL, 2, "check", OPTION_HARMLESS },
	{ NULL, 'e', "EVENT", 3, "event", OPTION_HARMLESS },
	{ "status-fd", 0, "N", 4, "status", OPTION_HARMLESS },
	{ "probe", 0, "DEF", 5, "probe", OPTION_ASKED("define a probe") },
	{ "unknown", 'u', NULL, 6, "whose line does not say" },
	{ "judged", 'j', "WORD", 7, "which its value says", OPTION_JUDGED(judge_word, NULL) },
	{ "tracefs", 0, "DIR", 8, NULL, OPTION_OF_SHELL },
	{ "on-hit", 0, "COMMAND", 9, "on hit", OPTION_ASKED("run a command at each hit") },
	OPTION_END,
};

static const struct option_def ask_options[] = {
	{ "format", 0, "FORMAT", 0, "format", OPTION_HARMLESS },
	{ "tracefs", 0, "DIR", 1, NULL, OPTION_OF_SHELL },
	{ "root", 0, "DIR", 2, NULL, OPTION_OF_SHELL },
	{ "fix", 0, NULL, 3, NULL, OPTION_OF_SHELL },
	OPTION_END,
};
/* With --on-hit, two files of --split; and in any case a latency tracer's. */
static struct output_names names_of(const struct option_list *list)
{
	struct output_names names = { .has_max = true };

	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == 9)
			names.numbers = 2;
	return names;
}

static const struct command_def record = { .name = "record",
					   .operand_kind = OPERANDS_COMMAND,
					   .max_operands = 100,
					   .options = record_options };
static const struct command_def recover = {
	.name = "recover", .min_operands = 1, .max_operands = 1, .options = record_options
};

static const struct command_def list = { .name = "list", .options = ask_options };
static const struct command_def doctor = { .name = "doctor", .options = ask_options };
static const struct command_def *const commands[] = { &record, &recover, &list, &doctor, NULL };

static const char *in_folder(const char *name)
{
	static char paths[16][160];
	static unsigned int nr;
	char *path = paths[nr++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *path, const char *s, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s, len), len);
	close(fd);
}

static void assert_file(const char *path, const char *s)
{
	char buf[200] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) >= 0);
	assert_string_equal(buf, s);
	close(fd);
}

/* --- what is started -------------------------------------------------------------------------- */

static void hear(void *arg, const char *s, size_t len)
{
	text_bytes(arg, s, len);
	text_char(arg, '|');
}

static int hear_out(struct child *child, struct text *heard)
{
	struct pollfd fd = { .fd = child->from, .events = POLLIN };
	int status = -1;

	while (child_lines(child, hear, heard))
		assert_int_equal(poll(&fd, 1, LIMIT_MS), 1);
	while (!child_ended(child, &status))
		usleep(1000);
	return status;
}

static void asks_and_says_how_it_ended(void **state)
{
	const char *const argv[] = { program, "doctor", "--format=json", NULL };
	struct text heard = { 0 }, said = { 0 };
	struct ft_error err = { 0 };
	struct child child;
	char buf[64];

	(void)state;
	assert_int_equal(broker_start(broker, &child, argv, CHILD_ASKED, false, &err), 0);
	assert_string_equal(child_result(hear_out(&child, &heard), buf, sizeof(buf)),
			    "exit status 3");
	child_said(&child, &said);
	assert_string_equal(text_str(&heard), "doctor --format=json|");
	assert_string_equal(text_str(&said), "said\n");
	child_fini(&child);
	text_fini(&heard);
	text_fini(&said);
}

static void records_and_is_told(void **state)
{
	const char *const argv[] = { program, "record", "-e", "sched", NULL };
	struct text heard = { 0 };
	struct ft_error err = { 0 };
	struct child child;
	char buf[64];

	(void)state;
	assert_int_equal(broker_start(broker, &child, argv, CHILD_TALKS, false, &err), 0);
	child_tell(&child, "stop");
	assert_int_equal(hear_out(&child, &heard), 0);
	assert_string_equal(text_str(&heard), "ready|got stop|");
	child_fini(&child);
	text_clear(&heard);

	assert_int_equal(broker_start(broker, &child, argv, CHILD_TALKS, false, &err), 0);
	child_interrupt(&child);
	assert_string_equal(child_result(hear_out(&child, &heard), buf, sizeof(buf)),
			    "killed by SIGINT");
	child_interrupt(&child);		/* nothing, any more */
	child_fini(&child);
	text_fini(&heard);
}

/* The recorder goes on without the screen: a screen that was taken over could fill the machine. */
static void starts_a_few_at_a_time(void **state)
{
	const char *const argv[] = { program, "record", "-e", "sched", NULL };
	struct child children[16], more;
	struct text heard = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	for (int i = 0; i < 16; i++)
		assert_int_equal(broker_start(broker, &children[i], argv, CHILD_TALKS, false, &err),
				 0);
	assert_int_equal(broker_start(broker, &more, argv, CHILD_TALKS, false, &err), -1);
	assert_int_equal(err.code, FT_E_LIMIT);
	for (int i = 0; i < 16; i++) {
		child_tell(&children[i], "stop");
		assert_int_equal(hear_out(&children[i], &heard), 0);
		child_fini(&children[i]);
	}
	assert_int_equal(broker_start(broker, &more, argv, CHILD_TALKS, false, &err), 0);
	child_tell(&more, "stop");
	assert_int_equal(hear_out(&more, &heard), 0);
	child_fini(&more);
	text_fini(&heard);
}

static void starts_nothing_else(void **state)
{
	const char *const refused[][8] = {
		{ "sh", "-c", "exit 0" },
		{ program },
		{ program, "report" },
		{ "sudo", "sh" },
		{ "sudo", "-n", "sh", program, "doctor" },
		{ "sudo", "-v", "sh" },
		{ "env", program, "doctor" },
		{ "sudo", program, "recover", "-o", "x", "x.part" },
		{ program, "recover", "-o", "x", "y.part" },
		{ program, "recover", "x.part" },
		{ program, "record", "-o", in_folder("text") },		/* there, and no trace */
		{ program, "record", "-o", "/tmp/.profile" },
		{ program, "record", "-o", in_folder(".secret/x") },
		{ program, "record", "-o", folder },
		{ program, "record", "--nonsense" },
		{ program, "record", "-o", "/proc/self/cwd/x.dat" },
		{ program, "record", "-o", in_folder("dots/x.dat") },
		{ program, "record", "-o", in_folder("plain/x.dat") },
		/* root would read what a link in a folder names */
		{ program, "record", "--check", "--tracefs", folder },
		{ program, "list", "--tracefs", folder },
		{ "sudo", "-n", program, "list", "--root", folder },
		{ "sudo", "-n", program, "doctor", "--tracefs", folder },
		{ "sudo", "-n", program, "doctor", "--fix" },
		{ program, "record", "-j", "shell" },
		{ program, "record", "--check", "-j", "shell" },
		/* the same of other files that it writes */
		{ program, "record", "-o", in_folder("other.dat") },
		{ program, "record", "--on-hit", "true", "-o", in_folder("split.dat") },
		{ program, "record", "--on-hit", "true", "-o", in_folder("linked.dat") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct ft_error err = { 0 };
		struct child child;

		assert_int_equal(broker_start(broker, &child, refused[i], CHILD_ASKED, true, &err),
				 -1);
		assert_int_equal(err.code, FT_E_USAGE);
		assert_true(*err.message);
		child_fini(&child);
	}
	assert_file(in_folder("text"), "text\n");
	assert_file(in_folder("other.max.dat"), "text\n");
	assert_file(in_folder("split.2.dat"), "text\n");
}

static void a_trace_may_be_written_over(void **state)
{
	const char *const argv[] = { program, "record", "-o", in_folder("trace.dat"), NULL };
	struct text heard = { 0 };
	struct ft_error err = { 0 };
	struct child child;

	(void)state;
	assert_int_equal(broker_start(broker, &child, argv, CHILD_TALKS, false, &err), 0);
	child_tell(&child, "stop");
	assert_int_equal(hear_out(&child, &heard), 0);
	child_fini(&child);
	text_fini(&heard);
}

static void what_runs_is_confirmed(void **state)
{
	const char *const argv[] = { program, "record",         "-e", "sched",
				     "touch", in_folder("ran"), NULL };
	/* the shell's command */
	const char *const same[] = { program, "record", "touch", in_folder("by shell"), NULL };
	const char *const as_other[] = { program, "record", "--user", "nobody", "touch",
					 in_folder("by shell"), NULL };
	const char *const check[] = { program, "record", "--check", "touch", "x", NULL };
	struct text heard = { 0 };
	struct ft_error err = { 0 };
	struct child child;

	(void)state;
	assert_int_equal(broker_start(broker, &child, argv, CHILD_ASKED, false, &err), BROKER_ASKS);
	/* without a terminal nobody can say so */
	assert_int_equal(broker_start(broker, &child, argv, CHILD_ASKED, true, &err), -1);
	assert_int_equal(err.code, FT_E_CANCELLED);
	assert_int_equal(broker_start(broker, &child, argv, CHILD_ASKED, false, &err), BROKER_ASKS);
	assert_int_equal(broker_start(broker, &child, same, CHILD_ASKED, false, &err), 0);
	hear_out(&child, &heard);
	child_fini(&child);
	assert_int_equal(broker_start(broker, &child, as_other, CHILD_ASKED, false, &err),
			 BROKER_ASKS);
	/* nothing runs by that */
	assert_int_equal(broker_start(broker, &child, check, CHILD_ASKED, false, &err), 0);
	hear_out(&child, &heard);
	child_fini(&child);
	text_fini(&heard);
}

static void what_reaches_far_is_confirmed(void **state)
{
	const char *const options[][7] = {
		{ program, "record", "--probe", "p:x /bin/su:0x1000 +0(%di):string" },
		{ program, "record", "--unknown" },
		{ program, "record", "-j", "known", "-j", "other" },
		{ program, "record", "--on-hit", "rm -r ." },
		{ program, "record", "-o", in_folder("crontab") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct ft_error err = { 0 };
		struct child child;

		assert_int_equal(broker_start(broker, &child, options[i], CHILD_ASKED, false, &err),
				 BROKER_ASKS);
	}
}

/* --- the options of this program -------------------------------------------------------------- */

static const struct command_def *const own_commands[] = { &cmd_record_def, &cmd_recover_def,
							  &cmd_list_def, &cmd_doctor_def, NULL };

/* What is asked for a command line, '-': nothing, '?': something, '!': it is refused */
static char judged(const char *line, const char *confirmed)
{
	const struct broker_rules rules = { .program = "ftop-trace", .commands = own_commands,
					    .confirmed = confirmed };
	struct broker_verdict verdict = { 0 };
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	char found;

	assert_int_equal(shell_words_split(&words, line, &err), 0);
	found = broker_judge(&rules, (const char *const *)words.words, &verdict, &err) ? '!' :
		verdict.asks.len                                                       ? '?' :
											 '-';
	broker_verdict_fini(&verdict);
	shell_words_fini(&words);
	return found;
}

static void assert_judged(const char *options, const char *confirmed, char expected)
{
	char line[300];
	char found;

	snprintf(line, sizeof(line), "ftop-trace record -o %s/x.dat %s", folder, options);
	found = judged(line, confirmed);
	if (found != expected)
		fail_msg("%s: %c, not %c", options, found, expected);
}

static const struct {
	const char *options;
	char	    expected;
} judged_cases[] = {
	{ "-e sched -f 'prev_prio < 100' -b 4M -C local -m 30s --cpu 0-3 -P 1 -c", '-' },
	{ "--duration 2 --until 'wakeup > 1ms' --locks -T -r 0 --no-who", '-' },
	{ "-e sched -R stacktrace -R 'traceoff if next_pid == 1'", '-' },
	{ "-e sched -R snapshot", '?' },
	{ "-e sched -R 'hist:keys=pid:onmax($x).snapshot'", '?' },
	{ "-e sched -R enable_event:kmem:kmalloc", '?' },
	{ "-e sched -R 'traceoffs'", '?' },
	{ "-p function_graph -g vfs_read -n 'tcp_*' -l ':mod:ext4' -l 'a b:mod:c'", '-' },
	{ "-p function -l vfs_read:traceoff:1", '-' },
	{ "-p function -l vfs_read:stacktrace", '?' },
	{ "-p function -l 'a vfs_read:snapshot'", '?' },
	{ "-p function -l :mod:ext4:stacktrace", '?' },
	{ "-p function -l vfs_read:dump", '!' },
	{ "-p function -l 'a b:cpudump:1'", '!' },
	{ "-p function -n 'a:dump'", '!' },
	{ "-p mmiotrace", '?' },
	{ "-p hwlat", '?' },
	{ "-p new_tracer", '?' },
	{ "-O userstacktrace -O nofunction-trace -O funcgraph-retval", '-' },
	{ "-O func_stack_trace", '?' },
	{ "-O trace_printk", '?' },
	{ "-O notrace_printk", '?' },
	{ "-O no", '?' },
	{ "-r 99", '?' },
	{ "-r 01", '?' },
	{ "--measure period=100us,cpus=0,2-3,kernel", '-' },
	{ "--measure cpus=0,2-3,prio=f:99", '?' },
	{ "--measure dma-latency=0", '?' },
	{ "--measure width=10s", '?' },
	{ "--measure user", '?' },
	{ "--measure new=1", '?' },
	{ "--measure option=OSNOISE_IRQ_DISABLE", '?' },
	{ "--measure period=1ms,option=PANIC_ON_STOP", '!' },
	{ "--setup timerlat,period=1ms", '-' },
	{ "--setup timerlat,prio=f:99", '?' },
	{ "--setup timerlat,option=PANIC_ON_STOP", '!' },
	{ "--setup hwlat", '?' },
	{ "--setup nonsense", '?' },
	{ "--monitor wwnr", '?' },
	{ "--stop-tracing 100", '?' },
	{ "--stop-tracing-total 100", '?' },
	{ "--probe 'p:x vfs_read'", '?' },
	{ "--synth 'x u64 y'", '?' },
	{ "--func-stack", '?' },
	{ "--stack-trace-max", '?' },
	{ "--syscall-bytes 165", '?' },
	{ "--top", '?' },
	{ "--force", '?' },
	{ "--on-hit true", '?' },
	{ "--cmdlines-size 1", '!' },
	{ "--boot", '!' },
	{ "--boot --save", '!' },
	{ "--check --boot --save", '!' },
	{ "--check --measure option=PANIC_ON_STOP", '!' },
};

static void values_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(judged_cases) / sizeof(judged_cases[0]); i++)
		assert_judged(judged_cases[i].options, NULL, judged_cases[i].expected);
	assert_int_equal(judged("sudo -n ftop-trace doctor --expand", NULL), '!');
	assert_int_equal(judged("sudo -n ftop-trace list -e --format=json", NULL), '-');
}

/* `live --cmdlines-size 9` in a shell starts a browser, which then asks to record so. */
static void what_the_shell_gave_is_not_refused(void **state)
{
	const char *const given[] = { "--cmdlines-size", "9" };
	struct option_list options;
	struct text confirmed = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(options_parse(&cmd_record_def, 2, (char **)given, &options, &err), 0);
	broker_doubts(&cmd_record_def, &options, &confirmed);
	options_fini(&options);
	assert_judged("--cmdlines-size 9", text_str(&confirmed), '?');
	assert_judged("--check --cmdlines-size 9 -s 100", text_str(&confirmed), '-');
	assert_judged("--cmdlines-size 8", text_str(&confirmed), '!');
	assert_judged("--cmdlines-size 9 --boot", text_str(&confirmed), '!');
	text_fini(&confirmed);
}

/* Of each option and value that this program knows it is decided whether it does harm. */
static void all_is_decided(void **state)
{
	const struct measure_key *key;
	const struct ready_setup *setup;

	(void)state;
	for (size_t i = 0; own_commands[i]; i++)
		for (const struct option_def *o = own_commands[i]->options; o->name || o->letter;
		     o++)
			/* those without help are trace-cmd's, which are refused */
			if (o->help && o->risk == OPTION_RISK_UNKNOWN && !o->risk_of)
				fail_msg("%s --%s: may the browser use it?", own_commands[i]->name,
					 o->name);
	for (unsigned int i = 0; (key = measure_key(i)); i++)
		if (key->risk == OPTION_RISK_UNKNOWN)
			fail_msg("--measure %s: may the browser use it?", key->name);
	/* but for the one that keeps a CPU busy with interrupts off, presets are not asked for */
	for (unsigned int i = 0; (setup = ready_setup(i)); i++)
		assert_judged(setup->line, NULL, strcmp(setup->name, "hwlat") ? '-' : '?');
}

/* --- files ------------------------------------------------------------------------------------ */

static void new_files_alone(void **state)
{
	struct ft_error err = { 0 };
	struct stat st;
	int fd;

	(void)state;
	fd = broker_create(broker, in_folder("a.trace-rows.txt"), false, &err);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "rows\n", 5), 5);
	close(fd);
	assert_file(in_folder("a.trace-rows.txt"), "rows\n");
	assert_int_equal(stat(in_folder("a.trace-rows.txt"), &st), 0);
	assert_int_equal(st.st_mode & 0111, 0);

	assert_int_equal(broker_create(broker, in_folder("a.trace-rows.txt"), false, &err), -1);
	assert_non_null(strstr(err.message, "/a.trace-rows.txt: File exists"));
	assert_int_equal(broker_create(broker, in_folder("none/x.dat"), false, &err), -1);
	assert_non_null(strstr(err.message, "/none/x.dat: No such file or directory"));
	assert_int_equal(broker_create(broker, in_folder(".hidden"), false, &err), -1);
	assert_non_null(strstr(err.message, "does not write hidden files"));
	/* nor what a program that is given * takes for its option, or for two names */
	assert_int_equal(broker_create(broker, in_folder("--action=sh x.txt"), false, &err), -1);
	assert_non_null(strstr(err.message, "begins with - or has control characters"));
	assert_int_equal(broker_create(broker, in_folder("a\nb.txt"), false, &err), -1);
	assert_int_equal(access(in_folder("a\nb.txt"), F_OK), -1);
	/* nor where root's programs read all that is there; this one is there in any case */
	assert_int_equal(broker_create(broker, "/etc/passwd", false, &err), -1);
	assert_non_null(strstr(err.message, "does not write system files"));
	assert_int_equal(access(in_folder(".hidden"), F_OK), -1);
}

/* Programs obey files of these names; the traces are "a", "text" and grows.dat.part. */
static void obeyed_names_are_confirmed(void **state)
{
	static const char *const obeyed[] = {
		"GNUmakefile", "json.py", "CMakeLists.txt", "requirements.txt", "package.json",
		"a.txt", "a.trace.py", "a.trace", "xa.trace.txt", "text.json",
	};
	static const char *const taken[] = { "a.trace.json", "text.trace-2.csv", "any.dat",
					     "any.pftrace", "grows.dat.part.txt",
					     "grows.dat.txt" };
	struct ft_error err = { 0 };
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(obeyed) / sizeof(obeyed[0]); i++) {
		assert_int_equal(broker_create(broker, in_folder(obeyed[i]), false, &err),
				 BROKER_CREATE_ASKS);
		/* there is no terminal here */
		assert_int_equal(broker_create(broker, in_folder(obeyed[i]), true, &err), -1);
		assert_non_null(strstr(err.message, "nothing was saved: "));
		assert_int_equal(access(in_folder(obeyed[i]), F_OK), -1);
	}
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		fd = broker_create(broker, in_folder(taken[i]), false, &err);
		assert_true(fd >= 0);
		close(fd);
	}
}

static void assert_saves(const char *trace, const char *name)
{
	struct text t = { 0 };

	broker_save_name(trace, &t);
	assert_string_equal(text_str(&t), name);
	text_fini(&t);
}

/* An archive may have any name for its trace. */
static void no_trace_gives_an_obeyed_name(void **state)
{
	(void)state;
	assert_saves("x/trace.dat", "trace.dat");
	assert_saves("CMakeLists.dat", "CMakeLists.dat");
	assert_saves("requirements", "requirements.trace");
	assert_saves("a.b/package", "package.trace");
	assert_saves("-", "stdin.trace");
}

static void begins(struct broker *who, const char *path, const char *s)
{
	struct ft_error err = { 0 };
	int fd = broker_begin_file(who, path, &err);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s, strlen(s)), strlen(s));
	close(fd);
}

static void files_have_names_when_complete(void **state)
{
	struct ft_error err = { 0 };
	struct stat st;

	(void)state;
	begins(broker, in_folder("one.dat"), "one");
	assert_int_equal(access(in_folder("one.dat"), F_OK), -1);
	assert_file(in_folder("one.dat.part"), "one");
	assert_int_equal(broker_end_files(broker, true, &err), 0);
	assert_file(in_folder("one.dat"), "one");
	assert_int_equal(access(in_folder("one.dat.part"), F_OK), -1);
	assert_int_equal(stat(in_folder("one.dat"), &st), 0);
	assert_int_equal(st.st_mode & 0137, 0);
	/* what is there, or came meanwhile, stays */
	assert_int_equal(broker_begin_file(broker, in_folder("one.dat"), &err), -1);
	assert_non_null(strstr(err.message, "/one.dat exists; choose another name"));
	begins(broker, in_folder("two.dat"), "two");
	close(broker_create(broker, in_folder("two.dat"), false, &err));
	assert_int_equal(broker_end_files(broker, true, &err), -1);
	assert_file(in_folder("two.dat"), "");
	assert_int_equal(access(in_folder("two.dat.part"), F_OK), -1);
	/* several at a time, but not any number; what is not kept is removed */
	for (unsigned int i = 0; i < BROKER_MAX_PARTS; i++) {
		char name[20];

		snprintf(name, sizeof(name), "three-%u.pftrace", i);
		begins(broker, in_folder(name), "three");
	}
	assert_int_equal(broker_begin_file(broker, in_folder("four.dat"), &err), -1);
	assert_non_null(strstr(err.message, "more than 16 files"));
	assert_int_equal(broker_end_files(broker, false, &err), 0);
	assert_int_equal(access(in_folder("three-0.pftrace.part"), F_OK), -1);
	assert_int_equal(access(in_folder("three-15.pftrace.part"), F_OK), -1);
	assert_int_equal(access(in_folder("three-15.pftrace"), F_OK), -1);
	assert_int_equal(broker_begin_file(broker, in_folder("a.trace.txt"), &err), -1);
	assert_int_equal(broker_begin_file(broker, in_folder("dots/x.dat"), &err), -1);
	assert_non_null(strstr(err.message, "does not write hidden files"));
	assert_int_equal(broker_begin_file(broker, in_folder("left.dat"), &err), -1);
	assert_non_null(strstr(err.message, "/left.dat.part exists: "));
}

static struct broker *of_output;	/* may write .given only, which is there */

static void the_file_of_the_shell(void **state)
{
	const char *const argv[] = { program, "doctor", NULL };
	struct ft_error err = { 0 };
	struct child child;

	(void)state;
	assert_int_equal(broker_begin_file(of_output, in_folder("other.dat"), &err), -1);
	assert_non_null(strstr(err.message, "/other.dat is not the file to write"));
	assert_int_equal(broker_create(of_output, in_folder("other.txt"), false, &err), -1);
	assert_int_equal(broker_start(of_output, &child, argv, CHILD_ASKED, false, &err), -1);
	child_fini(&child);
	begins(of_output, in_folder(".given"), "new");
	assert_file(in_folder(".given"), "old");
	assert_int_equal(broker_end_files(of_output, true, &err), 0);
	assert_file(in_folder(".given"), "new");
	begins(of_output, in_folder(".given"), "newer");
	assert_int_equal(access(in_folder(".given.part"), F_OK), 0);
	broker_free(of_output);			/* as if the process had been killed */
	assert_file(in_folder(".given"), "new");
	assert_int_equal(access(in_folder(".given.part"), F_OK), -1);
}

static struct broker *of_tables;	/* may write tables below "set" only */

static void the_folder_of_the_shell(void **state)
{
	static const char *const others[] = { "a.csv",	     "set/a.csv",   "set/../b/a.csv",
					      "set/.a/b.csv", "set/a/.b.csv", "set/a/b.txt",
					      "set/a/b/c.csv", "set/b/-x.csv", "set/link/a.csv" };
	struct ft_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(broker_begin_file(of_tables, in_folder(others[i]), &err), -1);
	assert_int_equal(broker_create(of_tables, in_folder("other.txt"), false, &err), -1);
	begins(of_tables, in_folder("set/a/x.parquet"), "x");
	begins(of_tables, in_folder("set/b/x.csv"), "y");
	assert_int_equal(broker_end_files(of_tables, true, &err), 0);
	assert_file(in_folder("set/a/x.parquet"), "x");
	assert_file(in_folder("set/b/x.csv"), "y");
	assert_int_equal(broker_begin_file(of_tables, in_folder("set/b/x.csv"), &err), -1);
	assert_non_null(strstr(err.message, "remove it, or give the trace another name"));
	broker_free(of_tables);
}

static struct broker *of_link;		/* may write "read-link", which leads to what is read */

static void what_is_read_is_not_written(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(broker_begin_file(of_link, in_folder("read-link"), &err), -1);
	assert_non_null(strstr(err.message, "/read-link is the input; give another name"));
	assert_int_equal(access(in_folder("read.dat.part"), F_OK), -1);
	broker_free(of_link);
}

static struct broker *of_hits;	/* may write s.1.dat to s.3.dat; has a command for them */

static void the_files_of_hits(void **state)
{
	static const char *const others[] = { "s.0.dat", "s.4.dat", "s.01.dat", "s.1.dat.dat",
					      "s.1" };
	struct ft_error err = { 0 };

	(void)state;
	/* the recording itself is not its business, nor what is not a trace */
	assert_int_equal(broker_begin_file(of_hits, in_folder("s.dat"), &err), -1);
	assert_int_equal(broker_begin_file(of_hits, in_folder("s.1.dat"), &err), -1);
	assert_non_null(strstr(err.message, "/s.1.dat exists and is not a regular file"));
	assert_int_equal(broker_begin_file(of_hits, in_folder("s.3.dat"), &err), -1);
	assert_non_null(strstr(err.message, "/s.3.dat exists and is not a trace"));
	assert_file(in_folder("s.3.dat"), "text\n");
	assert_file(in_folder("trace.dat"), "\x17\x08\x44tracing6");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(broker_begin_file(of_hits, in_folder(others[i]), &err), -1);
		assert_int_equal(broker_on_hit(of_hits, in_folder(others[i]), "{}", &err), -1);
	}
	begins(of_hits, in_folder("s.2.dat"), "x");
	assert_int_equal(broker_end_files(of_hits, true, &err), 0);
	assert_file(in_folder("s.2.dat"), "x");
	assert_int_equal(broker_on_hit(of_hits, in_folder("s.2.dat"), "{\"hit\":2}\n", &err), 0);
	assert_int_equal(broker_on_hit(of_tables, in_folder("s.2.dat"), "{}", &err), -1);
	/* at most as often as --hits has it */
	assert_int_equal(broker_on_hit(of_hits, in_folder("s.dat"), "{}", &err), 0);
	assert_int_equal(broker_on_hit(of_hits, in_folder("s.dat"), "{}", &err), -1);
	assert_non_null(strstr(err.message, "it ran for 2 hits"));
	broker_free(of_hits);		/* waits for the command */
	assert_file(in_folder("s.2.dat.told"), "{\"hit\":2}\n");
}

/* What processes that only write files are asked. */
static void what_the_shell_asked_for(void **state)
{
	the_file_of_the_shell(state);
	the_files_of_hits(state);
	the_folder_of_the_shell(state);
	what_is_read_is_not_written(state);
}

/* A path is judged by where it leads. */
static void links_lead_nowhere_else(void **state)
{
	struct ft_error err = { 0 };
	char path[100];
	int fd = open(in_folder(".secret"), O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d/rc", (int)getpid(), fd);
	assert_int_equal(broker_create(broker, path, false, &err), -1);
	assert_non_null(strstr(err.message, "does not write hidden files"));
	assert_int_equal(broker_create(broker, in_folder("dots/rc"), false, &err), -1);
	assert_non_null(strstr(err.message, "does not write hidden files"));
	assert_int_equal(faccessat(fd, "rc", F_OK, 0), -1);
	assert_int_equal(broker_create(broker, "/proc/self/rc", false, &err), -1);
	assert_int_equal(broker_create(broker, "/sys/rc", false, &err), -1);
	assert_int_equal(broker_create(broker, "/dev/rc", false, &err), -1);
	close(fd);
	/* into a folder that is not hidden they may */
	fd = broker_create(broker, in_folder("plain/rows.dat"), false, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(access(in_folder("real/rows.dat"), F_OK), 0);
}

/* Puts a link in the folder's place, and takes it away, until the other end is closed. */
static void swap_until_closed(int fd)
{
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) < 0)
		syscall(SYS_renameat2, AT_FDCWD, in_folder("swap"), AT_FDCWD,
			in_folder("swap-link"), RENAME_EXCHANGE);
	_exit(0);
}

static int swapping[2];

static void what_is_judged_is_opened(void **state)
{
	struct ft_error err = { 0 };
	unsigned int made = 0;
	char name[32];

	(void)state;
	/* on a busy machine the two may meet in the wrong half of a swap for long */
	for (int i = 0; i < 2000 || (!made && i < 500000); i++) {
		int fd;

		snprintf(name, sizeof(name), "swap/%d.dat", i);
		fd = broker_create(broker, in_folder(name), false, &err);
		made += fd >= 0;
		if (fd >= 0)
			close(fd);
		snprintf(name, sizeof(name), ".secret/%d.dat", i);
		assert_int_equal(access(in_folder(name), F_OK), -1);
	}
	close(swapping[0]);
	assert_true(made);
}

static void session_files_alone(void **state)
{
	struct text one = { 0 }, two = { 0 }, none = { 0 };
	struct ft_error err = { 0 };

	(void)state;
	text_add(&one, OUTPUT_MARKS_HEAD "1\n");
	text_add(&two, OUTPUT_MARKS_HEAD "2\n");
	text_add(&none, "alias ls=rm\n");
	assert_int_equal(broker_replace_session(broker, in_folder("a.marks"), &one, &err), 0);
	assert_file(in_folder("a.marks"), OUTPUT_MARKS_HEAD "1\n");
	assert_int_equal(broker_replace_session(broker, in_folder("a.marks"), &two, &err), 0);
	assert_file(in_folder("a.marks"), OUTPUT_MARKS_HEAD "2\n");

	assert_int_equal(broker_replace_session(broker, in_folder("a.marks"), &none, &err), -1);
	assert_int_equal(broker_replace_session(broker, in_folder("b.profile"), &one, &err), -1);
	assert_int_equal(broker_replace_session(broker, in_folder("text.marks"), &one, &err), -1);
	assert_non_null(
		strstr(err.message, "text.marks is not a file of marks; it is left unchanged"));
	assert_file(in_folder("a.marks"), OUTPUT_MARKS_HEAD "2\n");
	assert_file(in_folder("text.marks"), "text\n");
	assert_int_equal(access(in_folder("b.profile"), F_OK), -1);
	/* beside other files there are none, and no folder is made */
	assert_int_equal(broker_replace_session(broker, in_folder("b.marks"), &one, &err), -1);
	assert_non_null(strstr(err.message, "only saved beside files that ftop-trace was started"));
	assert_int_equal(broker_replace_session(broker, in_folder("none/a.marks"), &one, &err), -1);
	assert_int_equal(access(in_folder("none"), F_OK), -1);
	/* this one it has recorded */
	assert_int_equal(broker_replace_session(broker, in_folder("trace.dat.marks"), &one, &err),
			 0);
	text_fini(&one);
	text_fini(&two);
	text_fini(&none);
}

/* --- questions that no program of ours asks --------------------------------------------------- */

static int raw[2];		/* to a broker of its own */

static int32_t raw_ask(struct broker_ask what, const char *bytes)
{
	struct broker_answer answer;

	assert_int_equal(write(raw[0], &what, sizeof(what)), sizeof(what));
	assert_int_equal(write(raw[0], bytes, what.bytes), what.bytes);
	assert_int_equal(framing_receive(raw[0], &answer, sizeof(answer), FRAMING_NO_LIMIT), 0);
	assert_int_equal(answer.fds, 0);
	return answer.result;
}

static void nonsense_is_refused(void **state)
{
	struct broker_ask much = { .what = BROKER_START, .bytes = BROKER_MAX_BYTES + 1 };
	struct broker_answer answer;

	(void)state;
	assert_int_equal(raw_ask((struct broker_ask){ .what = 99 }, ""), -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_START }, ""), -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_START, .bytes = 3 }, "a\0b"),
			 -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_START, .bytes = 5 },
				 "\0\0\0\0\0"),
			 -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_CREATE }, ""), -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_REPLACE }, ""), -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_REPLACE, .bytes = 6 },
				 ".marks"),
			 -1);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_ENDED, .number = -1 }, ""), 1);
	/* nobody's child but its own */
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_INTERRUPT,
						      .number = getpid() },
				 ""),
			 0);
	assert_int_equal(raw_ask((struct broker_ask){ .what = BROKER_INTERRUPT, .number = -1 }, ""),
			 0);
	/* it ends rather than make room for that */
	assert_int_equal(write(raw[0], &much, sizeof(much)), sizeof(much));
	assert_int_equal(framing_receive(raw[0], &answer, sizeof(answer), FRAMING_NO_LIMIT), -1);
}

/* What is asked here is forbidden to who asks. */
static void it_is_needed(void **state)
{
	(void)state;
	if (!in_force.files) {
		print_message("skipped: this kernel has no landlock\n");
		skip();
	}
	refused_calls_expect();
	assert_int_equal(open(in_folder("own.txt"), O_WRONLY | O_CREAT | O_EXCL, 0600), -1);
}

static const char script[] =
	"#!/bin/sh\n"
	"case $1 in\n"
	"doctor) echo \"$*\"; echo said >&2; exit 3 ;;\n"
	"record) [ \"$2\" = --check ] && exit 0; echo ready >&3; read word <&3; echo \"got $word\" >&3 ;;\n"
	"esac\n";

static void make_files(void)
{
	write_file(program, script, sizeof(script) - 1);
	write_file(in_folder("text"), "text\n", 5);
	write_file(in_folder("text.marks"), "text\n", 5);
	write_file(in_folder("other.max.dat"), "text\n", 5);
	write_file(in_folder("split.2.dat"), "text\n", 5);
	write_file(in_folder("s.2.dat"), "\x17\x08\x44tracing6", 11);
	write_file(in_folder("s.3.dat"), "text\n", 5);
	assert_int_equal(symlink("trace.dat", in_folder("linked.1.dat")), 0);
	assert_int_equal(symlink("trace.dat", in_folder("s.1.dat")), 0);
	write_file(in_folder(".given"), "old", 3);
	write_file(in_folder("left.dat.part"), "", 0);
	write_file(in_folder("trace.dat"), "\x17\x08\x44tracing6", 11);
	chmod(program, 0700);
	mkdir(in_folder(".secret"), 0700);
	mkdir(in_folder("real"), 0700);
	mkdir(in_folder("swap"), 0700);
	assert_int_equal(symlink(".secret", in_folder("dots")), 0);
	assert_int_equal(symlink(".secret", in_folder("swap-link")), 0);
	assert_int_equal(symlink("real", in_folder("plain")), 0);
}

static void begin_output_broker(void)
{
	static char given[160], set[160], link[160], split[160];
	static const char *read[] = { NULL };
	const struct broker_rules rules = { .commands = commands, .output = given,
					    .replaces_output = true };
	struct ft_error err = { 0 };

	snprintf(given, sizeof(given), "%s", in_folder(".given"));
	of_output = broker_new(&rules, &err);
	snprintf(set, sizeof(set), "%s", in_folder("set"));
	of_tables = broker_new(&(struct broker_rules){ .commands = commands, .folder = set }, &err);
	snprintf(link, sizeof(link), "%s", in_folder("read-link"));
	read[0] = in_folder("read.dat");
	write_file(read[0], "old", 3);
	assert_int_equal(symlink("read.dat", link), 0);
	of_link = broker_new(&(struct broker_rules){ .commands = commands, .output = link,
						     .replaces_output = true, .files = read,
						     .nr_files = 1 },
			     &err);
	snprintf(split, sizeof(split), "%s", in_folder("s.dat"));
	of_hits = broker_new(&(struct broker_rules){ .commands = commands, .judged = split,
						     .split.numbers = 3,
						     .most_hits = 2,
						     .on_hit = "sh -c 'cat >\"$0.told\"'" },
			     &err);
	if (!of_output || !of_tables || !of_link || !of_hits)
		exit(1);
	mkdir(set, 0700);
	assert_int_equal(symlink("/tmp", in_folder("set/link")), 0);
}

/* A broker that gets bytes instead of questions, and who puts links in a folder's place. */
static int serve_raw(const struct broker_rules *rules)
{
	char ready;

	if (!fork()) {
		close(swapping[0]);
		swap_until_closed(swapping[1]);
	}
	close(swapping[1]);
	if (!fork()) {
		close(swapping[0]);
		close(raw[0]);
		broker_serve(raw[1], rules);
		_exit(0);
	}
	close(raw[1]);
	return framing_receive(raw[0], &ready, 1, FRAMING_NO_LIMIT);
}

static int all_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_and_says_how_it_ended),
		cmocka_unit_test(records_and_is_told),
		cmocka_unit_test(starts_a_few_at_a_time),
		cmocka_unit_test(starts_nothing_else),
		cmocka_unit_test(a_trace_may_be_written_over),
		cmocka_unit_test(what_runs_is_confirmed),
		cmocka_unit_test(what_reaches_far_is_confirmed),
		cmocka_unit_test(values_are_judged),
		cmocka_unit_test(what_the_shell_gave_is_not_refused),
		cmocka_unit_test(all_is_decided),
		cmocka_unit_test(new_files_alone),
		cmocka_unit_test(obeyed_names_are_confirmed),
		cmocka_unit_test(no_trace_gives_an_obeyed_name),
		cmocka_unit_test(files_have_names_when_complete),
		cmocka_unit_test(what_the_shell_asked_for),
		cmocka_unit_test(links_lead_nowhere_else),
		cmocka_unit_test(what_is_judged_is_opened),
		cmocka_unit_test(session_files_alone),
		cmocka_unit_test(it_is_needed),
		cmocka_unit_test(nonsense_is_refused),
	};
	char *const files[] = { strdup(in_folder("a")), strdup(in_folder("text")),
				strdup(in_folder("grows.dat.part")) };
	char confirmed[200];
	struct broker_rules rules = { .program = program,
				      .confirmed = confirmed,
				      .commands = commands,
				      .names = names_of,
				      .files = (const char *const *)files,
				      .nr_files = 3 };
	struct ft_error err = { 0 };
	int failed;

	setsid();		/* no terminal */
	snprintf(confirmed, sizeof(confirmed), "run a command: %zu: touch '%s'\n",
		 strlen(in_folder("by shell")) + 8, in_folder("by shell"));
	snprintf(program, sizeof(program), "%s", in_folder("program"));
	make_files();
	broker = broker_new(&rules, &err);
	if (!broker || socketpair(AF_UNIX, SOCK_STREAM, 0, raw) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, swapping))
		return 1;
	if (serve_raw(&rules))
		return 1;
	begin_output_broker();		/* no other process has its socket */
	in_force = confine_to_reading();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	broker_free(broker);
	free(files[0]);
	free(files[1]);
	free(files[2]);
	return failed;
}

static int remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int main(void)
{
	int status = 1;
	pid_t pid;

	strcpy(folder, "/tmp/ftop-broker-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	pid = fork();
	if (!pid)
		exit(all_tests() != 0);
	if (pid > 0)
		waitpid(pid, &status, 0);
	nftw(folder, remove_it, 8, FTW_DEPTH | FTW_PHYS);
	return status != 0;
}
