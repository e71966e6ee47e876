/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/extract.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/run/mapped_ring.h"
#include "recorder/run/record_state.h"
#include "recorder/run/ring_stats.h"
#include "recorder/tracefs/invoker.h"
#include "recorder/tracefs/refusal.h"
#include "src/base/memory.h"

struct extraction {
	const struct extract_plan *plan;
	struct recording	 r;
	struct record_plan	 recorded;	/* what r has as its plan: one buffer */
	struct record_result	 result;
	struct last_boot	 last_boot;
	struct saved_boot	*saved_boot;	/* owned; NULL: none */
	struct mapped_ring	**rings;	/* [nr_cpus]; NULL = nothing to read */
	struct raw_page_layout	 layout;
};

uint64_t extract_entries(const struct tracefs_dir *instance)
{
	struct name_list cpus = { 0 };
	struct text stats = { 0 };
	uint64_t entries = 0;

	tracefs_dir_folders(instance, "per_cpu", &cpus, NULL);
	for (size_t i = 0; i < cpus.nr; i++) {
		tracefs_dir_read(instance, TRACEFS_TEXT("per_cpu/%s/stats", cpus.names[i]), &stats,
				 NULL);
		entries += ring_stats_parse(text_str(&stats)).entries;
	}
	name_list_fini(&cpus);
	text_fini(&stats);
	return entries;
}

/* --- may it be read? -------------------------------------------------------------------------- */

static const struct tracefs_dir *dir_of(const struct extraction *x)
{
	return &x->r.instances[0].dir;
}

static int find_boot(struct extraction *x, struct ft_error *err)
{
	const struct tracefs_dir *dir = dir_of(x);

	if (!last_boot_read(&x->last_boot, dir, ""))
		return x->plan->last_boot ?
			       ft_error_set(err, FT_E_IO, -1, "%s holds nothing of the boot before",
					    dir->path) :
			       0;
	if (x->last_boot.is_unclear && !x->plan->last_boot) {
		text_add(
			&x->r.unsure,
			"this kernel does not say which boot filled the buffer: it was read as one "
			"of this boot; if it is of the boot before, extract it with --last-boot\n");
		return 0;
	}
	x->r.last_boot = &x->last_boot;
	x->r.same_kernel = x->plan->same_kernel;
	if (x->plan->same_kernel)
		text_add(&x->r.unsure,
			 "formats and symbols of this boot: --same-kernel says that they are those "
			 "of the boot before, too\n");
	else
		x->r.saved_boot = x->saved_boot = saved_boot_find(&x->last_boot,
								  SAVED_BOOTS_FOLDER);
	return 0;
}

static int open_instance(struct extraction *x, struct ft_error *err)
{
	const char *name = x->plan->instance;
	struct instance *inst = &x->r.instances[0];
	struct text t = { 0 };

	if (tracefs_dir_open_below(&inst->dir, x->r.root,
				   *name ? TRACEFS_TEXT("instances/%s", name) : ".", err))
		return -1;
	inst->name = mem_strdup(name);
	tracefs_dir_read(&inst->dir, "events/header_page", &t, NULL);
	x->layout = raw_page_layout(text_str(&t));
	text_fini(&t);
	return find_boot(x, err);
}

static bool is_on(const struct tracefs_dir *dir)
{
	char *on = tracefs_dir_line(dir, "tracing_on");
	bool is = on && *on == '1';

	free(on);
	return is;
}

/* The buffer is refused as long as it changes, and if it is empty. */
static int check_buffer(struct extraction *x, struct ft_error *err)
{
	const struct tracefs_dir *dir = dir_of(x);
	char *tracer = tracefs_dir_line(dir, "current_tracer");

	x->r.latency = record_plan_is_latency_tracer(tracer);
	free(tracer);
	if (is_on(dir))
		return ft_error_set(err, FT_E_IO, -1,
				    "%s is still recording; stop it first: echo 0 > %s/tracing_on",
				    dir->path, dir->path);
	for (unsigned int cpu = 0; cpu < x->recorded.nr_cpus; cpu++) {
		instance_read_stats(&x->r.instances[0], (int)cpu, &x->r.stats[cpu]);
		x->result.events += x->r.stats[cpu].entries;
		x->result.lost += x->r.stats[cpu].lost;
	}
	if (!x->result.events && !x->r.latency)
		return ft_error_set(err, FT_E_IO, -1, "%s holds no events", dir->path);
	return 0;
}

static int check_snapshot(struct extraction *x, struct ft_error *err)
{
	const struct tracefs_dir *dir = dir_of(x);

	if (!tracefs_dir_has(dir, "snapshot")) {
		tracefs_dir_refused(err, ENOENT, "%s/snapshot", dir->path);
		return refusal_add(err, dir, "snapshot", ENOENT, "TRACER_SNAPSHOT");
	}
	if (!x->plan->consume)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "%s: kernels can only read a snapshot by emptying it; "
				    "--consume does that",
				    dir->path);
	return 0;
}

/* Map all CPUs before anything is written. */
static int map_rings(struct extraction *x, struct ft_error *err)
{
	char why[sizeof(err->message)];

	for (unsigned int cpu = 0; cpu < x->recorded.nr_cpus; cpu++) {
		if (!x->r.stats[cpu].entries)
			continue;
		x->rings[cpu] = mapped_ring_open(dir_of(x), (int)cpu, err);
		if (x->rings[cpu])
			continue;
		if (err->code != FT_E_UNSUPPORTED)
			return -1;
		snprintf(why, sizeof(why), "%s", err->message);
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "reading it here would empty it, and --consume does that (%s)",
				    why);
	}
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static int copy_rings(struct extraction *x, struct ft_error *err)
{
	for (unsigned int cpu = 0; cpu < x->recorded.nr_cpus; cpu++)
		if (x->rings[cpu] && x->r.streams[cpu] &&
		    mapped_ring_copy(x->rings[cpu], &x->layout, x->r.output, x->r.streams[cpu],
				     err))
			return -1;
	return 0;
}

static int take_out(struct extraction *x, struct ft_error *err)
{
	const char *raw = x->plan->snapshot ? "snapshot_raw" : "trace_pipe_raw";
	struct cpu_readers *readers = cpu_readers_new(&(struct cpu_readers_options){ 0 });
	int ret = 0;

	for (unsigned int cpu = 0; cpu < x->recorded.nr_cpus && !ret; cpu++)
		if (x->r.streams[cpu])
			ret = cpu_readers_add(readers, dir_of(x), raw, x->r.streams[cpu], err);
	if (!ret)
		ret = cpu_readers_take(readers, err);
	cpu_readers_free(readers);
	return ret;
}

static int read_buffer(struct extraction *x, struct ft_error *err)
{
	if (x->r.latency)	/* its result is the text */
		return 0;
	if (x->plan->consume ? take_out(x, err) : copy_rings(x, err))
		return -1;
	if (!output_bytes(x->r.output))
		return ft_error_set(err, FT_E_IO, -1, "%s: %s holds no events", dir_of(x)->path,
				    x->plan->snapshot ? "its snapshot" : "it");
	return 0;
}

static void add_summary(const struct extraction *x, struct text *t)
{
	const char *name = x->plan->instance;

	text_printf(t, "%s: ", x->plan->output);
	if (x->r.latency)
		text_add(t, "the text of the maximum latency");
	else if (x->plan->snapshot)
		text_add(t, "the snapshot");
	else
		text_counted(t, x->result.events, "event");
	text_printf(t, " of %s%s%s", *name ? "instance " : "the top instance", name,
		    x->r.last_boot ? ", of the boot before" : "");
	if (x->result.lost) {
		text_add(t, "; ");
		text_counted(t, x->result.lost, "older one");
		text_add(t, x->result.lost == 1 ? " was lost" : " were lost");
	}
	text_printf(t, "; %s %s\n", x->plan->snapshot ? "the snapshot" : "the buffer",
		    x->plan->consume && !x->r.latency ? "is empty now" : "is as it was");
}

/* From here on there is FILE.part. */
static int write_file(struct extraction *x, struct text *notes, struct ft_error *err)
{
	struct recording *r = &x->r;
	struct ft_error ignored;
	bool taken = false;
	int ret = record_meta_begin(r, err);

	if (!ret) {
		record_meta_symbols(r);
		ret = read_buffer(x, err);
		taken = ret && x->plan->consume && output_bytes(r->output);
	}
	if (taken) {
		output_update(r->output, &ignored);
		text_printf(notes,
			    "what was taken out until then is in %s: ftop-trace recover %s\n",
			    output_part_name(r->output), output_part_name(r->output));
	}
	if (!ret && !r->last_boot)
		probe_misses_read(&r->misses_after, r->root);
	if (!ret && !r->last_boot && !r->snapshot)
		record_hists_read(r);
	if (!ret)
		record_meta_end(r);
	text_add(notes, text_str(&x->result.notes));
	text_add(notes, text_str(&r->unsure));
	if (ret) {
		output_abort(r->output, taken);
		return -1;
	}
	if (output_finish(r->output, err))
		return -1;
	add_summary(x, notes);
	return 0;
}

static int extract(struct extraction *x, struct text *notes, struct ft_error *err)
{
	struct invoker owner = { 0 };
	int ret;

	if (open_instance(x, err))
		return -1;
	ret = x->plan->snapshot ? check_snapshot(x, err) : check_buffer(x, err);
	if (!ret && !x->plan->consume && !x->r.latency)
		ret = map_rings(x, err);
	if (!ret)
		ret = invoker_find(&owner, NULL, err);
	if (!ret) {
		x->r.output = output_new(x->plan->output, &owner, err);
		ret = x->r.output ? 0 : -1;
	}
	if (!ret) {
		output_format_as(x->r.output, 7, x->plan->compression);
		ret = write_file(x, notes, err);
	}
	invoker_fini(&owner);
	return ret;
}

int extract_run(const struct extract_plan *plan, const struct tracefs_dir *root, struct text *notes,
		struct ft_error *err)
{
	struct extraction x = { .plan = plan };
	struct instance instance = INSTANCE_UNUSED;
	int ret;

	record_plan_init(&x.recorded);
	x.rings = mem_array(x.recorded.nr_cpus, sizeof(*x.rings));
	x.r = (struct recording){
		.plan = &x.recorded, .root = root, .result = &x.result, .instances = &instance,
		.streams = mem_array(x.recorded.nr_cpus, sizeof(*x.r.streams)),
		.max_streams = mem_array(x.recorded.nr_cpus, sizeof(*x.r.max_streams)),
		.stats = mem_array(x.recorded.nr_cpus, sizeof(*x.r.stats)),
		.exit_names = EXIT_NAMES_NONE, .signal_fd = -1, .extracts = true,
		.snapshot = plan->snapshot,
	};
	ret = extract(&x, notes, err);
	for (unsigned int cpu = 0; cpu < x.recorded.nr_cpus; cpu++)
		mapped_ring_close(x.rings[cpu]);
	free(x.rings);
	free(x.r.streams);
	free(x.r.max_streams);
	free(x.r.stats);
	free(instance.name);
	tracefs_dir_close(&instance.dir);
	probe_misses_fini(&x.r.misses_after);
	comms_fini(&x.r.comms);
	text_fini(&x.r.unsure);
	text_fini(&x.r.hists);
	text_fini(&x.r.hist_drops);
	saved_boot_free(x.saved_boot);
	last_boot_fini(&x.last_boot);
	record_result_fini(&x.result);
	record_plan_fini(&x.recorded);
	return ret;
}
