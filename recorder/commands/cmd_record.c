/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_record - the record command: records what its options say, and reports on it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/commands/command_env.h"
#include "recorder/commands/record_commands.h"
#include "recorder/commands/record_options.h"
#include "recorder/commands/record_until.h"
#include "recorder/journal/leftover.h"
#include "recorder/plan/plan_boot.h"
#include "recorder/tracefs/saved_boot.h"
#include "recorder/run/record.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/base/paths.h"
#include "src/base/shell_words.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/sandbox/broker.h"

static int find_tracefs(const struct record_plan *plan, struct text *path, struct ft_error *err)
{
	if (!plan->check_only || !plan->tracefs)
		return command_env_tracefs("record", path, err);
	text_add(path, plan->tracefs);
	return invoker_check_folder("--tracefs", plan->tracefs, err);
}

/* Save the options for the record screen, where R R repeats the last recording. */
static void keep_as_last(const struct option_list *list)
{
	struct shell_words words = { 0 };
	struct text line = { 0 };
	char path[4096];

	record_options_words(list, false, &words);
	shell_words_join(&words, &line);
	text_char(&line, '\n');
	if (paths_state("record-last", path, sizeof(path)))
		small_file_replace(path, &line, 0600, NULL);
	shell_words_fini(&words);
	text_fini(&line);
}

/*
 * Browsing needs no privileges: execute a new program with those of the user.  Returns only on
 * failure.
 */
static int browse_file(const char *file, const struct option_list *list, const sigset_t *mask,
		       struct ft_error *err)
{
	struct text path = { 0 }, runs = { 0 };
	struct invoker who;
	char *argv[5] = { (char *)"ftop-trace" };
	int nr = 1;

	if (invoker_find(&who, NULL, err) || invoker_become(&who, err))
		return -1;
	keep_as_last(list);
	/* "./", so that no file name is taken for an option or a command */
	text_printf(&path, "%s%s", *file == '/' ? "" : "./", file);
	broker_doubts(&cmd_record_def, list, &runs);
	if (runs.len) {		/* the record screen need not ask whether it may run again */
		argv[nr++] = (char *)"--recorded";
		argv[nr++] = runs.data;
	}
	argv[nr] = path.data;
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv("/proc/self/exe", argv);
	return ft_error_errno(err, errno, -1, "%s: cannot browse", file);
}

/* Names for user space are found with the rights of the user, in a process of its own. */
static void find_symbols(const char *file, bool quiet, const sigset_t *mask)
{
	struct invoker who;
	pid_t pid;

	if (!quiet && isatty(STDERR_FILENO))
		fprintf(stderr,
			"ftop-trace: finding names for user space; Ctrl-C leaves them out\n");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		int null = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
		char *argv[] = { (char *)"ftop-trace", (char *)"symbols", (char *)"--",
				 (char *)file, NULL };

		if (invoker_find(&who, NULL, NULL) || invoker_become(&who, NULL))
			_exit(1);
		if (null >= 0)
			dup2(null, STDERR_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	if (pid > 0)
		record_wait_for(pid);
}

/* Finding them may take minutes: not for who has told us to end. */
static void tell_no_symbols(const struct record_plan *plan, struct record_result *result)
{
	text_printf(&result->notes,
		    "names for user space are not in the file: ftop-trace symbols %s finds them\n",
		    plan->output);
}

/* We do not browse on a terminal that the command still uses. */
static bool may_browse(const struct record_result *result)
{
	return !result->interrupted && !result->command_runs && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

/* The reason first: a screen may have no room for the rest. */
static void tell_kept(struct ft_error *err, const char *file)
{
	const struct ft_error why = *err;

	ft_error_set(err, why.code, why.offset, "%s; %s contains what was recorded until then",
		     why.message, file);
}

static int check_plan(struct record_plan *plan, const struct record_places *places,
		      struct ft_error *err)
{
	struct text cleaned = { 0 };
	enum ft_error_code code;

	if (!plan->check_only)
		record_clean(places, &cleaned);
	command_env_tell(places->status, &cleaned);
	text_fini(&cleaned);
	if (!record_plan_check(plan, places->tracefs))
		return 0;
	/* a tracer that this kernel lacks is still a valid request */
	code = plan->nr_missing == plan->nr_mistakes ? FT_E_UNSUPPORTED : FT_E_USAGE;
	if (!memchr(text_str(&plan->mistakes), '\n', plan->mistakes.len - 1))
		return ft_error_set(err, code, -1, "%.*s", (int)plan->mistakes.len - 1,
				    text_str(&plan->mistakes));
	command_env_tell(places->status, &plan->mistakes);
	return ft_error_set(err, code, -1, "nothing was recorded or changed");
}

static int print_boot(const struct record_plan *plan, const char *tracefs, struct ft_error *err)
{
	struct text out = { 0 };

	plan_boot_text(plan, tracefs, &out);
	return output_whole(STDOUT_FILENO, &out, err);
}

static int save_boot(const char *tracefs, struct ft_error *err)
{
	struct text path = { 0 }, removed = { 0 };
	struct tracefs_dir root;
	int ret = tracefs_dir_open(&root, tracefs, err);

	if (ret)
		return -1;
	ret = saved_boot_write(&root, "", SAVED_BOOTS_FOLDER, &path, &removed, err);
	if (!ret)
		printf("%s: formats and symbols of this boot\n", text_str(&path));
	if (removed.len)
		printf("removed, as those of older boots:\n%s", text_str(&removed));
	tracefs_dir_close(&root);
	text_fini(&removed);
	text_fini(&path);
	return ret;
}

/* "24 events of sched, irq:irq_handler_entry": the catalog is sorted by system. */
static void add_events(const struct record_plan *plan, const struct plan_buffer *b,
		       struct text *out)
{
	const struct plan_catalog *c = &plan->catalog;

	for (size_t i = 0, end; i < c->nr; i = end) {
		size_t nr = 0, last = i;

		for (end = i; end < c->nr && !strcmp(c->events[i].system, c->events[end].system);
		     end++)
			if (b->enabled[end]) {
				nr++;
				last = end;
			}
		if (nr)
			text_add(out, out->len ? ", " : "");
		if (nr > 1)
			text_printf(out, "%zu events of %s", nr, c->events[i].system);
		else if (nr)
			text_printf(out, "%s:%s", c->events[last].system, c->events[last].name);
	}
}

/* --check has found nothing wrong: "trace.dat would have 24 events of sched, until …" */
static void tell_plan(const struct record_plan *plan)
{
	struct text all = { 0 }, of = { 0 };

	text_printf(&all, "--check: nothing is wrong; %s would have ", plan->output);
	for (size_t b = 0; b < plan->nr_buffers; b++) {
		const struct plan_buffer *buffer = &plan->buffers[b];

		text_clear(&of);
		if (buffer->tracer)
			text_printf(&of, "what %s traces", buffer->tracer);
		add_events(plan, buffer, &of);
		if (b)
			text_printf(&all, "; in the buffer %s ", buffer->name);
		text_add(&all, of.len ? text_str(&of) : "no events");
	}
	for (size_t i = 0; i < plan->until.nr; i++)
		text_printf(&all, "%s%s", i ? " || " : "; until ", plan->until.names[i]);
	command_env_tell(NULL, &all);
	text_fini(&of);
	text_fini(&all);
}

/*
 * Would the start refuse it?  It asks the judge, too.  Events of probes have no format before they
 * are defined: what is said about these then may be wrong.
 */
static int check_until(const struct record_plan *plan, const struct record_places *places,
		       struct ft_error *err)
{
	struct record_result result = { 0 };
	struct text told = { 0 };
	int ret = record_run(plan, places, &result, err);

	if (ret && err->code == FT_E_USAGE && plan->nr_probes) {
		text_printf(&told,
			    "--check: not known, since events of --probe and --synth only "
			    "exist at the start: %s",
			    err->message);
		command_env_tell(NULL, &told);
		ret = 0;
	}
	text_fini(&told);
	record_result_fini(&result);
	return ret;
}

/* --check and --boot: nothing is recorded. */
static int only_check(const struct record_plan *plan, const struct record_places *places,
		      struct ft_error *err)
{
	if (plan->save_boot)
		return save_boot(places->tracefs, err);
	if (plan->boot)
		return print_boot(plan, places->tracefs, err);
	if (places->judge >= 0 && check_until(plan, places, err))
		return -1;
	if (!plan->quiet)
		tell_plan(plan);
	return 0;
}

static int record_planned(struct record_plan *plan, const struct option_list *list,
			  const sigset_t *mask, struct status_stream *status,
			  struct judge_process *judge, struct ft_error *err)
{
	struct text tracefs = { 0 };
	struct record_places places = { .mask = mask,
					.run_dir = leftover_run_dir(),
					.status = status,
					.judge = judge->fd,
					.judge_pid = judge->pid };
	struct record_result result = { 0 };
	int ret;

	ret = find_tracefs(plan, &tracefs, err);
	places.tracefs = text_str(&tracefs);
	if (ret || check_plan(plan, &places, err)) {
		record_tell_end(status, plan, &result, false, err->message);
		text_fini(&tracefs);
		return -1;
	}
	command_env_tell(status, &plan->notes);
	if (plan->check_only) {
		ret = only_check(plan, &places, err);
		text_fini(&tracefs);
		return ret;
	}
	ret = record_run(plan, &places, &result, err);
	if (result.written && result.has_user_addresses && !result.told_to_end)
		find_symbols(plan->output, plan->quiet || status, mask);
	else if (result.written && result.has_user_addresses)
		tell_no_symbols(plan, &result);
	record_release_signals(mask);
	command_env_tell(status, &result.notes);
	if (!plan->quiet && !status && result.written)
		command_env_tell(NULL, &result.summary);
	if (!status && result.written)
		command_env_tell(NULL, &result.losses);
	if (ret && result.written)
		tell_kept(err, plan->output);
	record_tell_end(status, plan, &result, !ret, err->message);
	record_until_end(judge, result.written, result.judge_is_late, result.told_to_end);
	/*
	 * the file is complete, but the caller must not take an interrupted recording for a
	 * finished one
	 */
	if (!ret && result.told_to_end)
		ret = ft_error_set(err, FT_E_CANCELLED, -1,
				   "ended by %s: %s contains what was recorded until then",
				   text_signal_name(result.told_to_end), plan->output);
	else if (!ret && plan->exit_status && result.command_runs)
		ret = ft_error_set(
			err, FT_E_CANCELLED, -1,
			"--exit-status: %s is still running; %s contains what was recorded until then",
			plan->command[0], plan->output);
	else if (!ret && plan->exit_status)
		ret = result.command_status;
	else if (!ret && plan->browse && !status && may_browse(&result) && !plan->quiet)
		ret = browse_file(plan->output, list, mask, err);
	record_result_fini(&result);
	text_fini(&tracefs);
	return ret;
}

/* *status is NULL without --status-fd. */
static int open_status(const struct record_plan *plan, struct status_stream **status,
		       struct ft_error *err)
{
	if (plan->control_fd >= 0 && plan->status_fd < 0)
		return ft_error_set(err, FT_E_USAGE, -1, "--control-fd requires --status-fd");
	if (plan->status_fd < 0)
		return 0;
	*status = status_stream_open(plan->status_fd, err);
	if (!*status)
		return -1;
	return plan->control_fd >= 0 ? status_stream_control(*status, plan->control_fd, err) : 0;
}

int cmd_record(const struct option_list *list, struct ft_error *err)
{
	struct record_plan plan;
	const char **command = mem_array(list->nr_operands + 1, sizeof(*command));
	struct judge_process judge = { .fd = -1 };
	struct status_stream *status = NULL;
	sigset_t mask;
	int ret;

	record_hold_signals(&mask);
	record_plan_init(&plan);
	memcpy(command, list->operands, list->nr_operands * sizeof(*command));
	plan.command = list->nr_operands ? command : NULL;
	record_options_read(list, &plan);
	ret = record_until_start(&plan, &judge, err);
	if (!ret)
		ret = open_status(&plan, &status, err);
	if (!ret)
		ret = record_planned(&plan, list, &mask, status, &judge, err);
	record_release_signals(&mask);
	record_until_end(&judge, false, false, true);
	status_stream_close(status);
	record_plan_fini(&plan);
	free(command);
	return ret;
}
