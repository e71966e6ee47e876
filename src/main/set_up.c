/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/main/set_up.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "parsers/ctf/ctf_helper.h"
#include "parsers/ctf/ctf_source.h"
#include "parsers/io/archive.h"
#include "parsers/io/input.h"
#include "parsers/io/temporary.h"
#include "parsers/perf/perf_kernel.h"
#include "parsers/perf/perf_source.h"
#include "parsers/printer/printer.h"
#include "parsers/printer/printer_helper.h"
#include "recorder/tracefs/event_formats.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/paths.h"
#include "src/events/known_events.h"
#include "src/latency/latency_kinds.h"
#include "src/sandbox/spawner.h"
#include "src/symbols/elf_helper.h"
#include "src/symbols/symbols.h"
#include "src/trace/formats_option.h"
#include "src/trace/trace_user.h"
#include "ui/screen/theme.h"

/* --- the user's events -------------------------------------------------------- */

static int check_colour(const char *text, struct ft_error *err)
{
	if (theme_role(text) != NR_ROLES)
		return 0;
	return ft_error_set(err, FT_E_FORMAT, -1, "no role of the themes is called %s", text);
}

static const struct known_checks event_checks = { check_colour, latency_kinds_check };

bool set_up_events(struct ft_error *err)
{
	char path[4096];

	return !known_events_read(paths_config("events", path, sizeof(path)), &event_checks, err);
}

int set_up_check_events(struct ft_error *err)
{
	return known_events_check(&event_checks, err);
}

/* --- rights --------------------------------------------------------------------- */

#define OTHER_DESCRIPTORS	256	/* beside those of the files */

/* All files stay open; a caller's limit of 1024 is for programs with select(). */
static void allow_descriptors(unsigned int nr)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= nr + OTHER_DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int set_up_rights_of_user(const char *const *paths, unsigned int nr, bool follows,
			  struct ft_error *err)
{
	struct invoker who;
	bool reads_folder = false;
	int ret;

	ret = invoker_find(&who, NULL, err);
	allow_descriptors(nr);
	for (unsigned int i = 0; i < nr && !ret; i++) {
		bool is_input = !strcmp(paths[i], INPUT_PATH);
		int fd = is_input ? -1 : archive_open_ahead(paths[i]);

		if (is_input)
			ret = input_begin(follows, err);
		reads_folder |= who.other && fd >= 0 && spawner_may_read(fd);
	}
	/* of a folder, its files are only found when it is read: a helper opens them, as root */
	if (!ret && reads_folder && prctl(PR_SET_KEEPCAPS, 1))
		ret = ft_error_errno(err, errno, -1, "cannot keep the right to read");
	if (!ret)
		ret = invoker_become(&who, err);
	if (!ret && reads_folder && !confine_permit_reading(true))
		ret = ft_error_errno(err, errno, -1, "cannot give up the rights of root");
	invoker_fini(&who);
	return ret;
}

/* A pipe or an archive: what is in it is only known when it is read. */
static bool is_wrapped(const char *path)
{
	return !strcmp(path, INPUT_PATH) || archive_is_at(path);
}

int set_up_rights(const char *const *paths, unsigned int nr, bool follows, struct ft_error *err)
{
	confine_close_inherited();
	for (unsigned int i = 0; i < nr; i++)
		if (is_wrapped(paths[i]) || perf_source_is_at(paths[i]))
			perf_kernel_open_ahead();
	return set_up_rights_of_user(paths, nr, follows, err);
}

int set_up_formats(const struct option_list *list, const char **path, struct ft_error *err)
{
	char line[sizeof(err->message)];

	*path = formats_option_value(list);
	if (!*path || strcmp(*path, FORMATS_RUNNING) != 0)
		return 0;
	*path = NULL;
	if (!event_formats_read(formats_option_add, err))
		return 0;
	snprintf(line, sizeof(line), "%s", err->message);
	return ft_error_set(err, err->code, -1,
			    "--formats running: %s; use sudo, or name a trace.dat of that kernel",
			    line);
}

/* The user's own rights are what any program has; root's are worth a line. */
void set_up_tell_missing(struct confine in_force)
{
	const char *missing = confine_missing(&in_force);

	if (missing && !geteuid())
		fprintf(stderr, "ftop-trace: %s\n", missing);
}

/* --- helpers, temporary files ----------------------------------------------------- */

#define PATIENCE_MS	10000	/* SECURITY.md promises that */

static int start_printer(void)
{
	return spawner_start(SPAWNER_PRINTER);
}

static int start_ctf(void)
{
	return spawner_start(SPAWNER_CTF);
}

/* A file of the spawner, which is not confined. */
static struct temporary make_temporary(void)
{
	struct temporary t;

	t.fd = spawner_file(t.folder);
	return t;
}

static int create_file(char where[SPAWNER_WHERE])
{
	struct temporary t = temporary_create();

	memcpy(where, t.folder, sizeof(t.folder));
	return t.fd;
}

_Static_assert(sizeof(((struct temporary *)NULL)->folder) == SPAWNER_WHERE, "one is the other");

/* Libraries work in helper processes, which a confined process cannot start. */
void set_up_helpers(void)
{
	static spawner_serve *const serve[SPAWNER_TASKS] = {
		[SPAWNER_PRINTER] = printer_helper_serve,
		[SPAWNER_ELF] = elf_helper_serve,
		[SPAWNER_CTF] = ctf_helper_serve,
	};

	spawner_begin(serve, create_file);
	temporary_set_maker(make_temporary);
	printer_set_helper(start_printer, spawner_how);
	ctf_set_helper(&(struct ctf_helper_ways){ start_ctf, spawner_how, PATIENCE_MS });
}

void set_up_names(const struct option_list *list)
{
	const char *sysroot = "";

	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == SYSROOT_OPTION_ID)
			sysroot = list->values[i].value;
	trace_user_find_by(symbols_of_file, sysroot);
}
