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
	{ "FAULT_FLAG_VMA_LOCK", 1 << 12 },
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
	{ "I_CLEAR", 1 << 9 },
	{ "I_CREATING", 1 << 15 },
	{ "I_DIRTY_DATASYNC", 1 << 5 },
	{ "I_DIRTY_PAGES", 1 << 6 },
	{ "I_DIRTY_SYNC", 1 << 4 },
	{ "I_DIRTY_TIME", 1 << 12 },
	{ "I_DONTCACHE", 1 << 16 },
	{ "I_FREEING", 1 << 8 },
	{ "I_LINKABLE", 1 << 11 },
	{ "I_LRU_ISOLATING", 1 << 2 },
	{ "I_NEW", 1 << 0 },
	{ "I_OVL_INUSE", 1 << 14 },
	{ "I_PINNING_NETFS_WB", 1 << 18 },
	{ "I_REFERENCED", 1 << 10 },
	{ "I_SYNC", 1 << 1 },
	{ "I_SYNC_QUEUED", 1 << 17 },
	{ "I_WB_SWITCH", 1 << 13 },
	{ "I_WILL_FREE", 1 << 7 },
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
	{ "VMSCAN_THROTTLE_CONGESTED", 3 },
	{ "VMSCAN_THROTTLE_ISOLATED", 1 },
	{ "VMSCAN_THROTTLE_NOPROGRESS", 2 },
	{ "VMSCAN_THROTTLE_WRITEBACK", 0 },
	{ "VM_FAULT_COMPLETED", 1 << 14 },
	{ "VM_FAULT_DONE_COW", 1 << 12 },
	{ "VM_FAULT_FALLBACK", 1 << 11 },
	{ "VM_FAULT_HWPOISON", 1 << 4 },
	{ "VM_FAULT_HWPOISON_LARGE", 1 << 5 },
	{ "VM_FAULT_LOCKED", 1 << 9 },
	{ "VM_FAULT_MAJOR", 1 << 2 },
	{ "VM_FAULT_NEEDDSYNC", 1 << 13 },
	{ "VM_FAULT_NOPAGE", 1 << 8 },
	{ "VM_FAULT_OOM", 1 << 0 },
	{ "VM_FAULT_RETRY", 1 << 10 },
	{ "VM_FAULT_SIGBUS", 1 << 1 },
	{ "VM_FAULT_SIGSEGV", 1 << 6 },
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
