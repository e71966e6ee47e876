/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kshark_rows - every entry that KernelShark's library loads of a trace, of all its
 * buffers as KernelShark itself does it: "BUFFER,TS,CPU,PID,SYSTEM/EVENT".
 *
 *   kshark_rows FILE
 *
 * The library makes a stream of each buffer; the one that kshark_open() gives is the
 * unnamed buffer, which may well be empty.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <kernelshark/libkshark.h>
#include <kernelshark/libkshark-tepdata.h>

static int tell_stream(struct kshark_context *context, int stream, const char *name)
{
	struct kshark_entry **entries = NULL;
	ssize_t nr = kshark_load_entries(context, stream, &entries);

	if (nr < 0) {
		fprintf(stderr, "kshark_rows: buffer '%s': kshark_load_entries says %zd\n", name,
			nr);
		return 1;
	}
	for (ssize_t i = 0; i < nr; i++) {
		const struct kshark_entry *e = entries[i];
		char *event;

		/* what the library makes up itself, as for lost events, is no record */
		if (e->event_id < 0)
			continue;
		event = kshark_get_event_name(e);
		printf("%s,%" PRId64 ",%d,%d,%s\n", name, e->ts, e->cpu, kshark_get_pid(e), event);
		free(event);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	int stream, ret;

	if (argc != 2 || !kshark_instance(&context))
		return 2;
	stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "kshark_rows: %s: kshark_open says %d\n", argv[1], stream);
		return 1;
	}
	ret = tell_stream(context, stream, "");
	if (kshark_tep_init_all_buffers(context, stream) > 0)
		for (int i = stream + 1; i < context->n_streams; i++)
			ret |= tell_stream(context, i, kshark_get_data_stream(context, i)->name);
	return ret;
}
