/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kshark_load - what KernelShark does when it opens a trace: load every entry.
 * A peer for measuring; built by ./dev bench where libkshark is installed.
 *
 *   kshark_load FILE
 */
#include <stdio.h>
#include <kernelshark/libkshark.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t nr;
	int stream;

	if (argc != 2 || !kshark_instance(&context))
		return 2;
	stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "kshark_load: %s: kshark_open says %d\n", argv[1], stream);
		return 1;
	}
	nr = kshark_load_entries(context, stream, &entries);
	if (nr <= 0) {
		fprintf(stderr, "kshark_load: %s: kshark_load_entries says %zd\n", argv[1], nr);
		return 1;
	}
	printf("events %zd\n", nr);
	return 0;
}
