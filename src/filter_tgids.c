/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_tgids - the process a task belongs to, where a trace tells: the list that
 * our recorder keeps of the kernel's saved_tgids.
 */
#include <stdlib.h>
#include <string.h>

#include "src/filter_private.h"

struct tgid {
	int	pid, tgid;
};

struct filter_tgids {
	unsigned int	nr, cap;
	struct tgid	*tgids;		/* owned, by pid */
};

struct filter_tgids *filter_tgids_new(struct trace *trace, unsigned int file)
{
	(void)trace;
	(void)file;
	return mem_alloc(sizeof(struct filter_tgids));
}

void filter_tgids_free(struct filter_tgids *t)
{
	if (t)
		free(t->tgids);
	free(t);
}

int filter_tgid(const struct filter_tgids *t, int pid)
{
	unsigned int low = 0, high = t ? t->nr : 0;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (t->tgids[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return t && low < t->nr && t->tgids[low].pid == pid ? t->tgids[low].tgid : 0;
}
