/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/ask/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/ask/doctor_trial.h"
#include "recorder/ask/measures.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/kernel_module.h"
#include "recorder/tracefs/lock_probes.h"
#include "recorder/tracefs/monitors.h"
#include "recorder/tracefs/saved_boot.h"

#define AS_ROOT	"sudo ftop-trace record ..."

static const struct {
	const char	*name, *title;
} checks[DOCTOR_NR] = {
	[DOCTOR_LOCKDOWN] = { "lockdown", "kernel lockdown" },
	[DOCTOR_TRACEFS] = { "tracefs", "tracefs mounted" },
	[DOCTOR_RIGHTS] = { "rights", "rights" },
	[DOCTOR_INSTANCE] = { "instance", "own instance" },
	[DOCTOR_EVENTS] = { "events", "record events" },
	[DOCTOR_PAGES] = { "pages", "read raw pages" },
	[DOCTOR_NOP] = { "nop", "set tracer nop" },
	[DOCTOR_FUNCTION] = { "function", "function" },
	[DOCTOR_GRAPH] = { "function_graph", "function_graph" },
	[DOCTOR_FILTER] = { "function_filter", "filter by function" },
	[DOCTOR_TRACERS] = { "other_tracers", "other tracers" },
	[DOCTOR_PROBES] = { "probes", "probes" },
	[DOCTOR_LOCKS] = { "locks", "who holds locks" },
	[DOCTOR_MEASURE] = { "measure", "keys of --measure" },
	[DOCTOR_MONITORS] = { "monitors", "monitors" },
	[DOCTOR_LAST_BOOT] = { "last_boot", "boot before" },
	[DOCTOR_NEWEST] = { "newest", "of newer kernels" },
	[DOCTOR_READER] = { "reader", "real-time reader" },
	[DOCTOR_SYMBOLS] = { "symbols", "kernel symbols" },
	[DOCTOR_BUFFERS] = { "buffers", "buffer sizes" },
	[DOCTOR_PIDS] = { "pids", "process ids" },
	[DOCTOR_LANDLOCK] = { "landlock", "sandbox: landlock" },
	[DOCTOR_SECCOMP] = { "seccomp", "sandbox: seccomp" },
	[DOCTOR_OURS] = { "left_by_us", "left over by us" },
	[DOCTOR_OTHERS] = { "left_by_others", "left over by others" },
};

const char *doctor_check_name(enum doctor_check check)
{
	return checks[check].name;
}

const char *doctor_check_title(enum doctor_check check)
{
	return checks[check].title;
}

const char *doctor_state_name(enum doctor_state state)
{
	switch (state) {
	case DOCTOR_UNTRIED:	return "untried";
	case DOCTOR_OK:		return "ok";
	case DOCTOR_NO:		return "no";
	case DOCTOR_PARTLY:	return "partly";
	case DOCTOR_NONE:	return "none";
	}
	return "";
}

/* --- rows ------------------------------------------------------------------- */

/* A second call replaces the whole row, because what was known before no longer holds. */
void doctor_say(struct doctor_report *report, enum doctor_check check, enum doctor_state state,
		const char *fmt, ...)
{
	struct doctor_row *row = &report->rows[check];
	char line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	row->state = state;
	row->blocked = false;
	row->file = NULL;
	row->errnum = 0;
	row->cause = "";
	text_clear(&row->remedy);
	text_clear(&row->text);
	text_printable(&row->text, line, strlen(line));
}

void doctor_blocked(struct doctor_report *report, enum doctor_check check, const char *why)
{
	doctor_say(report, check, DOCTOR_UNTRIED, "%s", why);
	report->rows[check].blocked = true;
}

void doctor_cause(struct doctor_report *report, enum doctor_check check, enum refusal_cause cause)
{
	report->rows[check].cause = refusal_cause_name(cause);
}

void doctor_remedy(struct doctor_report *report, enum doctor_check check, const char *fmt, ...)
{
	char line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	text_clear(&report->rows[check].remedy);
	text_add(&report->rows[check].remedy, line);
}

void doctor_refused(struct doctor_report *report, enum doctor_check check,
		    const struct tracefs_dir *dir, const char *file, int errnum, const char *config)
{
	struct refusal refusal;
	bool absent;

	refusal_explain(&refusal, &report->facts, dir, file, errnum, config);
	absent = refusal.cause == REFUSAL_NOT_BUILT_IN || refusal.cause == REFUSAL_ABSENT;
	doctor_say(report, check, DOCTOR_NO, "%s%s%s", absent ? "" : file,
		   absent || !*file ? "" : ": ", text_str(&refusal.why));
	doctor_cause(report, check, refusal.cause);
	doctor_remedy(report, check, "%s", text_str(&refusal.remedy));
	report->rows[check].file = file;
	report->rows[check].errnum = errnum;
	refusal_fini(&refusal);
}

/* --- what needs no tracefs -------------------------------------------------- */

static void check_lockdown(struct doctor_report *report)
{
	switch (report->facts.lockdown) {
	case KERNEL_LOCKDOWN_UNKNOWN:
		doctor_say(report, DOCTOR_LOCKDOWN, DOCTOR_UNTRIED,
			   "securityfs, which shows the state, cannot be read");
		doctor_remedy(report, DOCTOR_LOCKDOWN,
			      "sudo mount -t securityfs securityfs /sys/kernel/security");
		break;
	case KERNEL_LOCKDOWN_NONE:
		doctor_say(report, DOCTOR_LOCKDOWN, DOCTOR_OK, "none");
		break;
	case KERNEL_LOCKDOWN_INTEGRITY:
		doctor_say(report, DOCTOR_LOCKDOWN, DOCTOR_OK, "integrity, which allows tracing");
		break;
	case KERNEL_LOCKDOWN_CONFIDENTIALITY:
		doctor_say(
			report, DOCTOR_LOCKDOWN, DOCTOR_NO,
			"kernel lockdown is at confidentiality, which forbids tracing; set by lockdown= at boot, or by Secure Boot");
		doctor_cause(report, DOCTOR_LOCKDOWN, REFUSAL_LOCKDOWN);
		break;
	}
}

struct priority {
	int	errnum;		/* for SCHED_FIFO, 0 if it is granted */
	int	nice;		/* best value granted */
};

/* Try it in a child, so that this process keeps its own priority. */
static bool try_priority(struct priority *result)
{
	int fds[2], status;
	ssize_t got;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		struct priority mine = { 0 };

		if (sched_setscheduler(0, SCHED_FIFO,
				       &(struct sched_param){ .sched_priority = 1 })) {
			mine.errnum = errno;
			for (mine.nice = -20;
			     mine.nice < 19 && setpriority(PRIO_PROCESS, 0, mine.nice); mine.nice++)
				;
		}
		got = write(fds[1], &mine, sizeof(mine));
		_exit(got != sizeof(mine));
	}
	close(fds[1]);
	got = pid > 0 ? read(fds[0], result, sizeof(*result)) : -1;
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return got == sizeof(*result);
}

static void check_reader(struct doctor_report *report)
{
	struct priority priority;

	if (!try_priority(&priority)) {
		doctor_say(report, DOCTOR_READER, DOCTOR_UNTRIED, "no process could be started");
		return;
	}
	if (!priority.errnum) {
		doctor_say(report, DOCTOR_READER, DOCTOR_OK, "SCHED_FIFO 1");
		return;
	}
	if (kernel_facts_capable(&report->facts, CAP_SYS_NICE)) {
		doctor_say(
			report, DOCTOR_READER, DOCTOR_PARTLY,
			"SCHED_FIFO: %s in spite of CAP_SYS_NICE; no reason given; nice %d is granted",
			tracefs_dir_errno(priority.errnum), priority.nice);
		doctor_cause(report, DOCTOR_READER, REFUSAL_NOT_SAID);
	} else {
		doctor_say(report, DOCTOR_READER, DOCTOR_PARTLY,
			   "SCHED_FIFO: %s: requires CAP_SYS_NICE; nice %d is granted",
			   tracefs_dir_errno(priority.errnum), priority.nice);
		doctor_cause(report, DOCTOR_READER, REFUSAL_RIGHTS);
		doctor_remedy(report, DOCTOR_READER, report->facts.root ? "" : AS_ROOT);
	}
	report->rows[DOCTOR_READER].errnum = priority.errnum;
}

/* 1: shown; 0: all zero; -1 with errno. */
static int addresses_shown(const char *root)
{
	FILE *in = fopen(TRACEFS_TEXT("%s/proc/kallsyms", root), "re");
	int shown = 0, errnum = 0;
	char line[1024];

	if (!in)
		return -1;
	/* The first ones may really be 0: offsets of per-CPU variables. */
	while (!shown && fgets(line, sizeof(line), in))
		shown = strtoull(line, NULL, 16) != 0;
	if (!shown && ferror(in))
		errnum = errno;
	fclose(in);
	errno = errnum;
	return errnum ? -1 : shown;
}

static void check_symbols(struct doctor_report *report, const char *root)
{
	const struct kernel_facts *facts = &report->facts;
	int shown = addresses_shown(root);

	if (shown < 0) {
		int errnum = errno;
		bool absent = errnum == ENOENT &&
			      kernel_config_get(&facts->config, "KALLSYMS") == KERNEL_CONFIG_NO;

		doctor_say(report, DOCTOR_SYMBOLS, DOCTOR_NO, "/proc/kallsyms: %s%s",
			   tracefs_dir_errno(errnum),
			   absent ? " (CONFIG_KALLSYMS is not set)" : "");
		report->rows[DOCTOR_SYMBOLS].errnum = errnum;
		doctor_cause(report, DOCTOR_SYMBOLS,
			     absent ? REFUSAL_NOT_BUILT_IN : REFUSAL_NOT_SAID);
		return;
	}
	if (shown) {
		doctor_say(report, DOCTOR_SYMBOLS, DOCTOR_OK, "/proc/kallsyms, with addresses");
		return;
	}
	if (facts->kptr_restrict >= 2) {
		doctor_say(report, DOCTOR_SYMBOLS, DOCTOR_PARTLY,
			   "kptr_restrict=%d hides addresses from everybody", facts->kptr_restrict);
		doctor_remedy(report, DOCTOR_SYMBOLS, "sudo sysctl kernel.kptr_restrict=1");
	} else if (kernel_facts_capable(facts, CAP_SYSLOG)) {
		doctor_say(
			report, DOCTOR_SYMBOLS, DOCTOR_PARTLY,
			"addresses are hidden in spite of CAP_SYSLOG and kptr_restrict=%d; no reason given",
			facts->kptr_restrict);
		doctor_cause(report, DOCTOR_SYMBOLS, REFUSAL_NOT_SAID);
		return;
	} else {
		doctor_say(report, DOCTOR_SYMBOLS, DOCTOR_PARTLY,
			   "%s=%d hides addresses from all but root (CAP_SYSLOG)",
			   facts->kptr_restrict ? "kptr_restrict" : "perf_event_paranoid",
			   facts->kptr_restrict ? facts->kptr_restrict :
						  facts->perf_event_paranoid);
		doctor_remedy(report, DOCTOR_SYMBOLS, AS_ROOT);
	}
	doctor_cause(report, DOCTOR_SYMBOLS, REFUSAL_RIGHTS);
}

static void check_pids(struct doctor_report *report)
{
	if (report->facts.own_pid_ns)
		doctor_say(
			report, DOCTOR_PIDS, DOCTOR_PARTLY,
			"this is a container: the kernel records the host's pids, not those seen here");
	else
		doctor_say(report, DOCTOR_PIDS, DOCTOR_OK, "the same as in the kernel");
}

/* Recording does not depend on these; what browses a trace and prints it does. */
static void check_sandbox(struct doctor_report *report, const struct doctor_options *options)
{
	if (options->landlock)
		doctor_say(report, DOCTOR_LANDLOCK, DOCTOR_OK,
			   "a process that reads a trace cannot write files");
	else
		doctor_say(report, DOCTOR_LANDLOCK, DOCTOR_NONE,
			   "not in this kernel: a process that reads a trace could write files");
	if (options->seccomp)
		doctor_say(report, DOCTOR_SECCOMP, DOCTOR_OK,
			   "a process that reads a trace cannot start programs");
	else
		doctor_say(
			report, DOCTOR_SECCOMP, DOCTOR_NONE,
			"not on this kernel or machine: a process that reads a trace could start programs");
}

/* --- what needs tracefs ----------------------------------------------------- */

static void say_not_mounted(struct doctor_report *report, int errnum, const struct ft_error *err)
{
	const struct kernel_facts *facts = &report->facts;

	if (access("/proc/self/mounts", F_OK)) {	/* facts about the kernel are there, too */
		doctor_say(report, DOCTOR_TRACEFS, DOCTOR_NO, "/proc is not mounted");
		doctor_cause(report, DOCTOR_TRACEFS, REFUSAL_NOT_MOUNTED);
		doctor_remedy(report, DOCTOR_TRACEFS, "sudo mount -t proc proc /proc");
		return;
	}
	if (!facts->knows_tracefs) {
		doctor_say(report, DOCTOR_TRACEFS, DOCTOR_NO, "not in this kernel%s",
			   kernel_config_get(&facts->config, "TRACING") == KERNEL_CONFIG_NO ?
				   " (CONFIG_TRACING is not set)" :
				   "");
		doctor_cause(report, DOCTOR_TRACEFS, REFUSAL_NOT_BUILT_IN);
		return;
	}
	doctor_say(report, DOCTOR_TRACEFS, DOCTOR_NO, "%s",
		   errnum == ENODEV ? "tracefs is not mounted" : err->message);
	doctor_cause(report, DOCTOR_TRACEFS, REFUSAL_NOT_MOUNTED);
	report->rows[DOCTOR_TRACEFS].errnum = errnum;
	doctor_remedy(report, DOCTOR_TRACEFS, "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

static bool check_rights(struct doctor_report *report, const struct tracefs_dir *dir)
{
	static const char *const needed[] = { "instances", "events", "tracing_on" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		int mode = i ? R_OK : R_OK | W_OK | X_OK;

		if (!faccessat(dir->fd, needed[i], mode, AT_EACCESS))
			continue;
		doctor_refused(report, DOCTOR_RIGHTS, dir, needed[i], errno, "TRACING");
		return false;
	}
	doctor_say(report, DOCTOR_RIGHTS, DOCTOR_OK, "%s may create instances",
		   report->facts.root ? "root" : "this user, though not root,");
	return true;
}

static void add_word(struct text *list, const char *word)
{
	text_printf(list, "%s%s", list->len ? " " : "", word);
}

/* Tracers are only listed, because some of them disturb the whole machine. */
static void check_tracers(struct doctor_report *report, const struct tracefs_dir *dir)
{
	struct text listed = { 0 }, absent = { 0 };
	struct name_list tracers;

	if (tracefs_dir_read_words(dir, "available_tracers", &tracers, NULL)) {
		doctor_refused(report, DOCTOR_TRACERS, dir, "available_tracers", errno, "TRACING");
		return;
	}
	for (size_t i = 0; i < tracers.nr; i++)
		if (strcmp(tracers.names[i], "nop") && strcmp(tracers.names[i], "function") &&
		    strcmp(tracers.names[i], "function_graph"))
			add_word(&listed, tracers.names[i]);
	for (int i = 2; i < KERNEL_FACTS_TRACERS; i++)
		if (!name_list_has(&tracers, kernel_facts_tracers[i].name))
			add_word(&absent, kernel_facts_tracers[i].name);
	if (listed.len)
		doctor_say(report, DOCTOR_TRACERS, DOCTOR_OK, "%s%s%s", text_str(&listed),
			   absent.len ? "; not in this kernel: " : "", text_str(&absent));
	else
		doctor_say(report, DOCTOR_TRACERS, DOCTOR_NONE, "not in this kernel: %s",
			   text_str(&absent));
	name_list_fini(&tracers);
	text_fini(&listed);
	text_fini(&absent);
}

/* What --setup=locks can record here. */
static void check_locks(struct doctor_report *report, const struct tracefs_dir *dir,
			const char *root)
{
	struct lock_probes locks;
	struct text says = { 0 };

	lock_probes_find(&locks, dir, root);
	text_add(&says, text_str(&locks.has));
	if (locks.lacks.len)
		text_printf(&says, "%snot recorded: %s", says.len ? "; " : "",
			    text_str(&locks.lacks));
	doctor_say(report, DOCTOR_LOCKS,
		   !locks.lacks.len ? DOCTOR_OK :
		   locks.has.len    ? DOCTOR_PARTLY :
				      DOCTOR_NONE,
		   "%s", text_str(&says));
	text_fini(&says);
	lock_probes_fini(&locks);
}

/* Which keys of --measure there are. */
static void check_measure(struct doctor_report *report, const struct tracefs_dir *dir)
{
	struct text has = { 0 }, lacks = { 0 };
	const struct measure_key *key;
	struct name_list tracers;

	tracefs_dir_read_words(dir, "available_tracers", &tracers, NULL);
	for (unsigned int i = 0; (key = measure_key(i)); i++) {
		enum measure_state state = measures_state(dir, &tracers, key);

		if (state == MEASURE_HAS && !strstr(text_str(&has), key->name))
			add_word(&has, key->name);
		else if (state == MEASURE_LACKS)
			text_printf(&lacks, "%s%s%s%s", lacks.len ? ", " : "", key->name,
				    key->since ? " since Linux " : "",
				    key->since ? key->since : "");
	}
	if (!has.len && !lacks.len)
		doctor_say(report, DOCTOR_MEASURE, DOCTOR_NONE,
			   "this kernel has none of timerlat, osnoise, hwlat and function_graph");
	else
		doctor_say(report, DOCTOR_MEASURE, lacks.len ? DOCTOR_PARTLY : DOCTOR_OK,
			   "%s%s%s%s", text_str(&has), has.len && lacks.len ? "; " : "",
			   lacks.len ? "not in this kernel: " : "", text_str(&lacks));
	name_list_fini(&tracers);
	text_fini(&has);
	text_fini(&lacks);
}

/* What record --monitor can record here. */
static void check_monitors(struct doctor_report *report, const struct tracefs_dir *dir)
{
	struct name_list names;
	struct text all = { 0 }, on = { 0 };
	long long monitoring = 1;

	if (monitors_read(dir, &names, NULL)) {
		doctor_refused(report, DOCTOR_MONITORS, dir, MONITORS_AVAILABLE, errno,
			       MONITORS_CONFIG);
		if (!tracefs_dir_has(dir, MONITORS_AVAILABLE))
			report->rows[DOCTOR_MONITORS].state = DOCTOR_NONE;
		name_list_fini(&names);
		return;
	}
	for (size_t i = 0; i < names.nr; i++) {
		add_word(&all, names.names[i]);
		if (monitors_is_enabled(dir, names.names[i]))
			add_word(&on, names.names[i]);
	}
	tracefs_dir_read_number(dir, MONITORS_ON, &monitoring, NULL);
	doctor_say(report, DOCTOR_MONITORS,
		   !names.nr  ? DOCTOR_NONE :
		   monitoring ? DOCTOR_OK :
				DOCTOR_PARTLY,
		   "%s%s%s%s", names.nr ? text_str(&all) : "this kernel has none",
		   on.len ? "; on: " : "", text_str(&on),
		   monitoring ? "" : "; monitoring is switched off");
	if (!monitoring)
		doctor_remedy(report, DOCTOR_MONITORS, "echo 1 | sudo tee %s/%s", dir->path,
			      MONITORS_ON);
	name_list_fini(&names);
	text_fini(&all);
	text_fini(&on);
}

/* What not all kernels that are supported have, and no other check looks for. */
static void check_newest(struct doctor_report *report, const struct tracefs_dir *dir)
{
	const struct {
		bool		 has;
		const char	*title, *since;	/* NULL: in no release yet */
	} features[] = {
		{ kernel_module_selects_events(dir), "events by module (-e :mod:NAME)", "Linux 6.14" },
		{ tracefs_dir_has(dir, "syscall_user_buf_size"),
		  "strings of system calls (--syscall-bytes)", "Linux 6.19" },
		{ tracefs_dir_explains(dir, TRACEFS_WATCH_PROBES), "watch probes (--probe w:...)" },
	};
	struct text has = { 0 }, lacks = { 0 }, not_recorded = { 0 };
	struct name_list remotes;

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		struct text *list = features[i].has ? &has : &lacks;

		text_printf(list, "%s%s", list->len ? ", " : "", features[i].title);
		if (!features[i].has && features[i].since)
			text_printf(list, " since %s", features[i].since);
	}
	tracefs_dir_folders(dir, "remotes", &remotes, NULL);
	for (size_t i = 0; i < remotes.nr; i++)
		text_printf(&not_recorded, " remotes/%s", remotes.names[i]);
	doctor_say(report, DOCTOR_NEWEST,
		   !lacks.len && !remotes.nr ? DOCTOR_OK :
		   has.len || remotes.nr     ? DOCTOR_PARTLY :
					       DOCTOR_NONE,
		   "%s%s%s%s%s%s%s", text_str(&has), has.len && lacks.len ? "; " : "",
		   lacks.len ? "not in this kernel: " : "", text_str(&lacks),
		   remotes.nr ? "; not recorded:" : "", text_str(&not_recorded),
		   remotes.nr ? ": the kernel gives only the text of such buffers" : "");
	if (remotes.nr)
		doctor_remedy(report, DOCTOR_NEWEST,
			      "sudo cat %s/remotes/%s/trace_pipe | ftop-trace -", dir->path,
			      remotes.names[0]);
	name_list_fini(&remotes);
	text_fini(&has);
	text_fini(&lacks);
	text_fini(&not_recorded);
}

static void check_probes(struct doctor_report *report, const struct tracefs_dir *dir)
{
	static const struct {
		const char	*file, *title, *config;
	} kinds[] = {
		{ "kprobe_events", "kprobes", "KPROBE_EVENTS" },
		{ "uprobe_events", "uprobes", "UPROBE_EVENTS" },
		{ "synthetic_events", "synthetic events", "SYNTH_EVENTS" },
		/* programs ask for it: few kernels have it, and nothing is missing without it */
		{ "user_events_data", "events of programs (user_events)", NULL },
	};
	struct text here = { 0 }, absent = { 0 };
	const struct kernel_config *config = &report->facts.config;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct text *list = tracefs_dir_has(dir, kinds[i].file) ? &here : &absent;

		if (list == &absent && !kinds[i].config)
			continue;
		text_printf(list, "%s%s", list->len ? ", " : "", kinds[i].title);
		if (list == &absent &&
		    kernel_config_get(config, kinds[i].config) == KERNEL_CONFIG_NO)
			text_printf(list, " (CONFIG_%s is not set)", kinds[i].config);
	}
	doctor_say(report, DOCTOR_PROBES,
		   !absent.len ? DOCTOR_OK :
		   here.len    ? DOCTOR_PARTLY :
				 DOCTOR_NO,
		   "%s%s%s%s", text_str(&here), here.len && absent.len ? "; " : "",
		   absent.len ? "not in this kernel: " : "", text_str(&absent));
	if (absent.len)
		doctor_cause(report, DOCTOR_PROBES, REFUSAL_NOT_BUILT_IN);
	text_fini(&here);
	text_fini(&absent);
}

/* Does it hold records of the boot before?  @fits: cleared if no saved boot is that one. */
static bool holds_last_boot(const struct tracefs_dir *instance, const char *root,
			    const char *folder, bool *fits)
{
	struct last_boot last;
	bool holds = last_boot_read(&last, instance, root);

	if (holds) {
		struct saved_boot *saved = saved_boot_find(&last, folder);

		*fits &= saved != NULL;
		saved_boot_free(saved);
	}
	last_boot_fini(&last);
	return holds;
}

/* Buffers that outlast a reboot: can their records be decoded then? */
static void check_last_boot(struct doctor_report *report, const struct tracefs_dir *dir,
			    const char *root)
{
	char folder[PATH_MAX];
	struct name_list names;
	struct text outlast = { 0 }, before = { 0 };
	bool fits = true;

	snprintf(folder, sizeof(folder), "%s" SAVED_BOOTS_FOLDER, root);
	tracefs_dir_folders(dir, "instances", &names, NULL);
	for (size_t i = 0; i < names.nr; i++) {
		struct tracefs_dir instance = { .fd = -1 };

		if (tracefs_dir_open_below(&instance, dir,
					   TRACEFS_TEXT("instances/%s", names.names[i]), NULL))
			continue;
		if (tracefs_dir_has(&instance, "last_boot_info"))
			add_word(&outlast, names.names[i]);
		if (holds_last_boot(&instance, root, folder, &fits))
			add_word(&before, names.names[i]);
		tracefs_dir_close(&instance);
	}
	if (!outlast.len)
		doctor_say(report, DOCTOR_LAST_BOOT, DOCTOR_NONE,
			   "no buffer outlasts a reboot; record --boot --persistent prints how to "
			   "set one up");
	else if (before.len)
		doctor_say(report, DOCTOR_LAST_BOOT, fits ? DOCTOR_OK : DOCTOR_PARTLY,
			   "extract --last-boot finds records in %s%s", text_str(&before),
			   fits ? "" : ", but few can be decoded: that boot was not saved");
	else if (saved_boot_is_written(folder))
		doctor_say(report, DOCTOR_LAST_BOOT, DOCTOR_OK, "%s: this boot is saved",
			   text_str(&outlast));
	else
		doctor_say(
			report, DOCTOR_LAST_BOOT, DOCTOR_PARTLY,
			"%s: this boot is not saved, so few records can be decoded after the next",
			text_str(&outlast));
	if (outlast.len && !saved_boot_is_written(folder))
		doctor_remedy(report, DOCTOR_LAST_BOOT, "sudo ftop-trace record --boot --save");
	name_list_fini(&names);
	text_fini(&outlast);
	text_fini(&before);
}

/* --- what is left over ------------------------------------------------------ */

static void check_ours(struct doctor_report *report, const struct leftovers *left)
{
	struct text names = { 0 };

	for (size_t i = 0; i < left->nr; i++)
		if (left->items[i].state != LEFTOVER_WAITS &&
		    (left->items[i].state != LEFTOVER_LIVES) == !!left->nr_stale)
			add_word(&names, left->items[i].name);
	if (left->nr_stale) {
		doctor_say(report, DOCTOR_OURS, DOCTOR_PARTLY,
			   "%zu recorder%s died before restoring tracefs: %s", left->nr_stale,
			   PLURAL(left->nr_stale), text_str(&names));
		doctor_remedy(report, DOCTOR_OURS, "sudo ftop-trace doctor --fix");
	} else if (left->nr_waiting) {
		doctor_say(
			report, DOCTOR_OURS, DOCTOR_PARTLY,
			"saved_cmdlines_size stays raised until nobody else traces, because restoring it "
			"clears the task names of all who do");
		doctor_remedy(report, DOCTOR_OURS, "sudo ftop-trace doctor --fix");
	} else if (left->nr) {
		doctor_say(report, DOCTOR_OURS, DOCTOR_NONE, "nothing; recording now: %s",
			   text_str(&names));
	} else {
		doctor_say(report, DOCTOR_OURS, DOCTOR_NONE, "nothing");
	}
	text_fini(&names);
}

/* Things switched on in the top instance, which belongs to nobody. */
static void add_top_use(const struct tracefs_dir *dir, struct text *found)
{
	struct name_list events;
	char *tracer = tracefs_dir_line(dir, "current_tracer");

	if (tracer && strcmp(tracer, "nop"))
		text_printf(found, "%stracer %s in the top instance", found->len ? "; " : "",
			    tracer);
	if (!tracefs_dir_read_words(dir, "set_event", &events, NULL) && events.nr)
		text_printf(found, "%s%zu event%s on in the top instance", found->len ? "; " : "",
			    events.nr, PLURAL(events.nr));
	name_list_fini(&events);
	free(tracer);
}

static void check_others(struct doctor_report *report, const struct tracefs_dir *dir,
			 const char *proc, const struct leftovers *left)
{
	struct text found = { 0 }, names = { 0 };

	add_top_use(dir, &found);
	for (size_t i = 0; i < left->foreign.nr; i++)
		add_word(&names, left->foreign.names[i]);
	if (names.len)
		text_printf(&found, "%s%zu instance%s: %s", found.len ? "; " : "", left->foreign.nr,
			    PLURAL(left->foreign.nr), text_str(&names));
	text_clear(&names);
	if (refusal_holders(dir, proc, &names))
		text_printf(&found, "%sfiles held open by %s", found.len ? "; " : "",
			    text_str(&names));
	if (found.len) {
		doctor_say(report, DOCTOR_OTHERS, DOCTOR_PARTLY, "%s", text_str(&found));
		doctor_cause(report, DOCTOR_OTHERS, REFUSAL_BUSY);
	} else {
		doctor_say(report, DOCTOR_OTHERS, DOCTOR_NONE, "top instance free, 0 instances");
	}
	text_fini(&found);
	text_fini(&names);
}

/* --- all of it -------------------------------------------------------------- */

/* "7 (expanded: 1408)" becomes 1408, as on the first use of tracing. */
static void expand_top(struct doctor_report *report, const struct tracefs_dir *dir)
{
	char *size = tracefs_dir_line(dir, "buffer_size_kb");
	struct ft_error err;

	if (size && strstr(size, "(expanded: ")) {
		long long kb = (long long)tracefs_dir_size_kb(size);

		if (tracefs_dir_write_number(dir, "buffer_size_kb", kb, &err))
			text_printf(&report->fixed, "not expanded: %s\n", err.message);
		else
			text_printf(&report->fixed,
				    "top instance: buffer of %lld KiB for each CPU\n", kb);
	}
	free(size);
}

static void check_tracefs(struct doctor_report *report, const struct tracefs_dir *dir,
			  const struct doctor_options *options)
{
	const char *proc = TRACEFS_TEXT("%s/proc", options->root);
	struct leftover_places places = { .run_dir = options->run_dir, .proc = proc };
	struct leftovers left;

	doctor_say(report, DOCTOR_TRACEFS, DOCTOR_OK, "%s", dir->path);
	if (!check_rights(report, dir))
		return;
	if (options->fix)
		leftovers_clean(dir, &places, &report->fixed);
	if (options->expand)
		expand_top(report, dir);
	leftovers_find(&left, dir, &places, NULL);
	check_ours(report, &left);
	check_others(report, dir, proc, &left);
	leftovers_fini(&left);
	check_tracers(report, dir);
	check_probes(report, dir);
	check_locks(report, dir, options->root);
	check_measure(report, dir);
	check_monitors(report, dir);
	check_last_boot(report, dir, options->root);
	check_newest(report, dir);
	doctor_trial(report, dir);
}

void doctor_run(const struct doctor_options *options, struct doctor_report *report)
{
	struct tracefs_dir dir;
	struct ft_error err;
	bool mounted;
	int errnum;

	*report = (struct doctor_report){ .fixed = { 0 } };
	kernel_facts_read(&report->facts, options->root);
	mounted = !tracefs_dir_open(&dir, options->tracefs, &err);
	errnum = errno;
	for (int check = 0; check < DOCTOR_NR; check++)
		doctor_blocked(report, check, mounted ? "needs root" : "tracefs is not mounted");
	check_lockdown(report);
	check_reader(report);
	check_symbols(report, options->root);
	check_pids(report);
	check_sandbox(report, options);
	if (mounted)
		check_tracefs(report, &dir, options);
	else
		say_not_mounted(report, errnum, &err);
	tracefs_dir_close(&dir);
}

void doctor_fini(struct doctor_report *report)
{
	for (int check = 0; check < DOCTOR_NR; check++) {
		text_fini(&report->rows[check].text);
		text_fini(&report->rows[check].remedy);
	}
	text_fini(&report->fixed);
	kernel_facts_fini(&report->facts);
}

bool doctor_can_record(const struct doctor_report *report)
{
	return report->rows[DOCTOR_EVENTS].state == DOCTOR_OK &&
	       report->rows[DOCTOR_PAGES].state == DOCTOR_OK;
}
