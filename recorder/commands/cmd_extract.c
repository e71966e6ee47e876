/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_extract - a trace.dat of a ring buffer that somebody else filled. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/commands/command_env.h"
#include "recorder/commands/record_commands.h"
#include "recorder/journal/leftover.h"
#include "recorder/run/extract.h"
#include "recorder/run/record.h"
#include "recorder/tracefs/last_boot.h"

enum extract_option {
	OPT_INSTANCE, OPT_TOP, OPT_SNAPSHOT, OPT_LAST_BOOT, OPT_SAME_KERNEL, OPT_CONSUME,
	OPT_OUTPUT, OPT_COMPRESSION
};

const struct command_def cmd_extract_def = {
	.name = "extract",
	.operands = "",
	.summary = "write a trace.dat of a ring buffer that another program or the boot filled",
	.details = "Use it for a buffer that was filled by trace-cmd start, by rtla, by a script, from\n"
		   "boot (see record --boot), or in the boot before (a persistent buffer). Without -B,\n"
		   "--top or --last-boot, extract takes the only buffer that holds events. It changes\n"
		   "nothing in tracefs. It refuses a buffer that is still recording.\n\n"
		   "Since Linux 6.10, reading leaves the buffer as it is. It empties snapshots,\n"
		   "buffers with a trigger that takes snapshots, those of the boot before (before\n"
		   "Linux 6.15), and all buffers of older kernels: extract asks for --consume then.\n\n"
		   "FILE contains the formats of all events, the kernel's symbols, the names and\n"
		   "thread groups of tasks that the kernel has saved, the number of lost events, and\n"
		   "the histograms of the buffer's events (trigger hist:), as ftop-trace hist prints them.\n"
		   "If a latency tracer (irqsoff, wakeup_rt, ...) is set, FILE is the kernel's text of\n"
		   "its maximum.\n\n"
		   "A buffer of the boot before is decoded with what record --boot --save kept of that\n"
		   "boot: formats, symbols, and names of tasks at that time. Events that may have had\n"
		   "other formats are not decoded, and the file says so. Without a saved boot that\n"
		   "fits, only functions, stacks and texts of trace_marker are decoded.\n"
		   "Since Linux 7.1 the kernel can copy such a buffer into an instance of its own, which\n"
		   "it removes when that has been read: trace_instance=COPY=NAME on its command line.",
	.examples = "Save the recording of trace-cmd start:\n"
		    "  sudo trace-cmd start -e sched; sleep 1; sudo trace-cmd stop\n"
		    "  sudo ftop-trace extract -o t.dat\n"
		    "\n"
		    "The trace of rtla, when a latency was above 50 us:\n"
		    "  sudo rtla timerlat top -T 50 -t \\\n"
		    "    --on-threshold shell,command='ftop-trace extract -o t.dat'\n"
		    "\n"
		    "Save the events before the crash of the machine:\n"
		    "  sudo ftop-trace extract --last-boot -o crash.dat",
	.max_operands = 0,
	.operand_kind = OPERANDS_WORDS,
	.options = (const struct option_def[]){
		{ "instance", 'B', "INSTANCE", OPT_INSTANCE, "read this instance" },
		{ "top", 0, NULL, OPT_TOP, "read the top instance" },
		{ "snapshot", 0, NULL, OPT_SNAPSHOT,
		  "read the snapshot of that instance (default: of the top one); requires --consume" },
		{ "last-boot", 0, NULL, OPT_LAST_BOOT,
		  "read the instance that holds events of the boot before" },
		{ "same-kernel", 0, NULL, OPT_SAME_KERNEL,
		  "of the boot before: decode with this boot's formats and symbols. Use it if nothing was saved, that boot ran the same kernel, and modules and probes were loaded in the same order" },
		{ "consume", 0, NULL, OPT_CONSUME, "empty the buffer by reading it" },
		{ "output", 'o', "FILE", OPT_OUTPUT,
		  "write this file, which must not exist (default: trace.dat)", OPTION_PATH },
		{ "compression", 0, "none|zstd|zlib", OPT_COMPRESSION, "compress the events (default: none)" },
		OPTION_END,
	},
};

static int read_options(const struct option_list *list, struct extract_plan *plan,
			struct ft_error *err)
{
	static const char *const codecs[] = { "none", "zlib", "zstd" };
	static const enum trace_compression compressions[] = { TRACE_PLAIN, TRACE_ZLIB,
							       TRACE_ZSTD };
	bool top = false;
	int choice;

	for (unsigned int i = 0; i < list->nr; i++) {
		const char *value = list->values[i].value;

		switch ((enum extract_option)list->values[i].id) {
		case OPT_INSTANCE:	plan->instance = value; break;
		case OPT_TOP:		top = true; break;
		case OPT_SNAPSHOT:	plan->snapshot = true; break;
		case OPT_LAST_BOOT:	plan->last_boot = true; break;
		case OPT_SAME_KERNEL:	plan->same_kernel = true; break;
		case OPT_CONSUME:	plan->consume = true; break;
		case OPT_OUTPUT:	plan->output = value; break;
		case OPT_COMPRESSION:
			choice = options_choice("--compression", value, codecs, 3, err);
			if (choice < 0)
				return -1;
			plan->compression = compressions[choice];
			break;
		}
	}
	if (top + (plan->instance != NULL) > 1 || (top && plan->last_boot) ||
	    (plan->snapshot && plan->last_boot))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "name one buffer: -B INSTANCE or --top, with --snapshot, "
				    "or -B INSTANCE with --last-boot");
	if (top)
		plan->instance = "";
	return 0;
}

/* --- which buffer ----------------------------------------------------------------------------- */

static bool is_candidate(const struct tracefs_dir *root, const char *name,
			 const struct extract_plan *plan)
{
	struct tracefs_dir dir;
	struct last_boot last = { 0 };
	bool is;

	if (tracefs_dir_open_below(&dir, root, *name ? TRACEFS_TEXT("instances/%s", name) : ".",
				   NULL))
		return false;
	is = extract_entries(&dir) > 0;
	if (plan->last_boot)
		is = is && last_boot_read(&last, &dir, "");
	last_boot_fini(&last);
	tracefs_dir_close(&dir);
	return is;
}

/* Leaves the top one or the instances that may be meant in @names; "" is the top one. */
static void find_candidates(const struct tracefs_dir *root, const struct extract_plan *plan,
			    struct name_list *names)
{
	const struct leftover_places places = { .run_dir = leftover_run_dir(), .proc = "/proc" };
	struct leftovers all;

	if (is_candidate(root, "", plan))
		name_list_add(names, "");
	leftovers_find(&all, root, &places, NULL);
	for (size_t i = 0; i < all.foreign.nr; i++)
		if (is_candidate(root, all.foreign.names[i], plan))
			name_list_add(names, all.foreign.names[i]);
	leftovers_fini(&all);
}

static int check_named(const struct tracefs_dir *root, const char *name, struct ft_error *err)
{
	struct name_list names = { 0 };
	const char *near;
	int ret = 0;

	tracefs_dir_folders(root, "instances", &names, NULL);
	near = name_list_nearest(&names, name);
	if (!strncmp(name, "remotes/", 8) && tracefs_dir_has(root, name))
		ret = ft_error_set(err, FT_E_UNSUPPORTED, -1,
				   "-B %s: the kernel provides it only as text; try: "
				   "sudo cat %s/%s/trace | ftop-trace -",
				   name, root->path, name);
	else if (*name && !name_list_has(&names, name))
		ret = ft_error_set(err, FT_E_USAGE, -1, "-B %s: no such instance%s%s%s", name,
				   near ? "; did you mean " : "; 'ftop-trace list -B' shows all",
				   near ? near : "", near ? "?" : "");
	name_list_fini(&names);
	return ret;
}

/* @names: keeps the chosen name */
static int choose(const struct tracefs_dir *root, struct extract_plan *plan,
		  struct name_list *names, struct ft_error *err)
{
	struct text all = { 0 };
	int ret = 0;

	if (plan->instance)
		return check_named(root, plan->instance, err);
	/* the kernel does not tell which snapshots hold anything */
	if (plan->snapshot) {
		plan->instance = "";
		return 0;
	}
	find_candidates(root, plan, names);
	for (size_t i = 0; i < names->nr; i++)
		text_printf(&all, "%s%s%s", i ? ", " : "", *names->names[i] ? "-B " : "--top",
			    names->names[i]);
	if (!names->nr)
		ret = ft_error_set(err, FT_E_IO, -1, "no buffer holds events%s",
				   plan->last_boot ? " of the boot before" : "");
	else if (names->nr > 1)
		ret = ft_error_set(err, FT_E_USAGE, -1, "several buffers hold events: name one: %s",
				   text_str(&all));
	else
		plan->instance = names->names[0];
	text_fini(&all);
	return ret;
}

int cmd_extract(const struct option_list *list, struct ft_error *err)
{
	struct extract_plan plan = { .output = "trace.dat" };
	struct text path = { 0 }, notes = { 0 };
	struct name_list names = { 0 };
	struct tracefs_dir root = { 0 };
	sigset_t mask;
	int ret = read_options(list, &plan, err);

	if (!ret && !access(plan.output, F_OK))
		ret = ft_error_set(err, FT_E_IO, -1, "%s exists already; name another file with -o",
				   plan.output);
	if (!ret)
		ret = command_env_tracefs("extract", &path, err);
	if (!ret)
		ret = tracefs_dir_open(&root, text_str(&path), err);
	if (!ret) {
		/* what was taken out of a buffer must not get lost by a Ctrl-C */
		record_hold_signals(&mask);
		ret = choose(&root, &plan, &names, err);
		if (!ret)
			ret = extract_run(&plan, &root, &notes, err);
		record_release_signals(&mask);
		command_env_tell(NULL, &notes);
		tracefs_dir_close(&root);
	}
	name_list_fini(&names);
	text_fini(&notes);
	text_fini(&path);
	return ret;
}
