/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/kernel_constants.h"

#include <stdlib.h>
#include <string.h>

struct constant {
	const char	*name;
	uint64_t	 value;
};

/* By name. */
static const struct constant constants[] = {
	{ "DEV_PM_QOS_RESUME_LATENCY", 1 },
	{ "FAULT_FLAG_ALLOW_RETRY", 1 << 2 },
	{ "FAULT_FLAG_INSTRUCTION", 1 << 8 },
	{ "FAULT_FLAG_INTERRUPTIBLE", 1 << 9 },
	{ "FAULT_FLAG_KILLABLE", 1 << 4 },
	{ "FAULT_FLAG_MKWRITE", 1 << 1 },
	{ "FAULT_FLAG_REMOTE", 1 << 7 },
	{ "FAULT_FLAG_RETRY_NOWAIT", 1 << 3 },
	{ "FAULT_FLAG_TRIED", 1 << 5 },
	{ "FAULT_FLAG_USER", 1 << 6 },
	{ "FAULT_FLAG_WRITE", 1 << 0 },
	{ "HRTIMER_MODE_ABS", 0x0 },
	{ "HRTIMER_MODE_ABS_HARD", 0x8 },
	{ "HRTIMER_MODE_ABS_PINNED", 0x2 },
	{ "HRTIMER_MODE_ABS_PINNED_HARD", 0xa },
	{ "HRTIMER_MODE_ABS_PINNED_SOFT", 0x6 },
	{ "HRTIMER_MODE_ABS_SOFT", 0x4 },
	{ "HRTIMER_MODE_REL", 0x1 },
	{ "HRTIMER_MODE_REL_HARD", 0x9 },
	{ "HRTIMER_MODE_REL_PINNED", 0x3 },
	{ "HRTIMER_MODE_REL_PINNED_HARD", 0xb },
	{ "HRTIMER_MODE_REL_PINNED_SOFT", 0x7 },
	{ "HRTIMER_MODE_REL_SOFT", 0x5 },
	{ "IOPRIO_CLASS_BE", 2 },
	{ "IOPRIO_CLASS_IDLE", 3 },
	{ "IOPRIO_CLASS_INVALID", 7 },
	{ "IOPRIO_CLASS_NONE", 0 },
	{ "IOPRIO_CLASS_RT", 1 },
	{ "PM_QOS_ADD_REQ", 0 },
	{ "PM_QOS_REMOVE_REQ", 2 },
	{ "PM_QOS_UPDATE_REQ", 1 },
	{ "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 },
	{ "TCP_CLOSING", 11 },
	{ "TCP_ESTABLISHED", 1 },
	{ "TCP_FIN_WAIT1", 4 },
	{ "TCP_FIN_WAIT2", 5 },
	{ "TCP_LAST_ACK", 9 },
	{ "TCP_LISTEN", 10 },
	{ "TCP_NEW_SYN_RECV", 12 },
	{ "TCP_SYN_RECV", 3 },
	{ "TCP_SYN_SENT", 2 },
	{ "TCP_TIME_WAIT", 6 },
};

static int compare(const void *key, const void *element)
{
	return strcmp(key, ((const struct constant *)element)->name);
}

bool kernel_constant(const char *name, uint64_t *value)
{
	const struct constant *c = bsearch(name, constants, sizeof(constants) / sizeof(constants[0]), sizeof(constants[0]), compare);

	if (c)
		*value = c->value;
	return c != NULL;
}
