/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/commands/record_until.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "src/base/await.h"
#include "src/commands/judge.h"

#define UNTIL_INTERVAL_US	200000u			/* of -s */
#define UNTIL_KEEP_NS		10000000000u		/* of -m */

static struct judge_options judge_options(const struct record_plan *plan)
{
	return (struct judge_options){
		.conditions = (const char *const *)plan->until.names,
		.nr_conditions = (unsigned int)plan->until.nr,
		.hits = plan->hits ? (unsigned int)plan->hits : 1,
		.linger_ns = plan->linger_ns,
		.keep_ns = plan->keep_ns,
		.split = plan->split,
		.on_hit = plan->on_hit,
		.output = plan->output,
	};
}

void record_until_check(struct record_plan *plan)
{
	struct judge_options options;
	struct ft_error err;

	if (!plan->until.nr) {
		if (plan->hits || plan->split || plan->on_hit)
			record_plan_mistake(plan, "%s requires --until",
					    plan->hits  ? "--hits" :
					    plan->split ? "--split" :
							  "--on-hit");
		return;
	}
	if (!plan->keep_ns && !plan->keep_kb && !plan->max_bytes)
		plan->keep_ns = UNTIL_KEEP_NS;
	if (!plan->interval_us)
		plan->interval_us = UNTIL_INTERVAL_US;
	options = judge_options(plan);
	if (judge_check(&options, &err))
		record_plan_mistake(plan, "%s", err.message);
	if (record_plan_is_latency_tracer(plan->buffers[0].tracer))
		record_plan_mistake(
			plan,
			"--until: the tracer %s keeps its maximum only; record events instead",
			plan->buffers[0].tracer);
}

/* --- the process that judges ----------------------------------------------------------------- */

static void (*run_judge)(const struct judge_options *options, int fd);

void cmd_record_set_judge(void (*run)(const struct judge_options *options, int fd))
{
	run_judge = run;
}

int record_until_start(const struct record_plan *plan, struct judge_process *judge,
		       struct ft_error *err)
{
	const struct judge_options options = judge_options(plan);
	int fds[2];

	if (!plan->until.nr || plan->boot || plan->save_boot || plan->nr_mistakes)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return ft_error_errno(err, errno, -1, "socketpair");
	fflush(NULL);
	judge->pid = fork();
	if (!judge->pid) {
		close(fds[0]);
		run_judge(&options, fds[1]);
		_exit(0);
	}
	close(fds[1]);
	judge->fd = fds[0];
	return judge->pid > 0 ? 0 : ft_error_errno(err, errno, -1, "cannot start another process");
}

void record_until_end(struct judge_process *judge, bool written, bool is_late, bool briefly)
{
	static const char word[] = JUDGE_WRITTEN "\n";

	if (judge->fd < 0)
		return;
	if (written && send(judge->fd, word, sizeof(word) - 1, MSG_NOSIGNAL) < 0)
		errno = 0;
	close(judge->fd);
	judge->fd = -1;
	briefly |= is_late;
	if (judge->pid > 0 && is_late)
		kill(judge->pid, SIGKILL);
	if (judge->pid > 0 && briefly && !await_child(&await_briefly, judge->pid, NULL))
		fprintf(stderr, "ftop-trace: --until: the process that judges it has not ended, "
				"and is not waited for\n");
	while (judge->pid > 0 && !briefly && waitpid(judge->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
