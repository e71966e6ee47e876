/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_KERNEL_CONFIG_H
#define FTOP_RECORDER_TRACEFS_KERNEL_CONFIG_H
/*
 * kernel_config - the configuration of the running kernel, if it can be read: from /proc/config.gz,
 * or from the file that distributions install with the kernel.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct kernel_config {
	char		*source;	/* owned: the file that was read; NULL = none */
	struct text	 text;		/* its lines */
};

enum kernel_config_answer {
	KERNEL_CONFIG_UNKNOWN,		/* no configuration can be read here */
	KERNEL_CONFIG_NO,		/* not set, or missing because something it depends on is
					 * not set */
	KERNEL_CONFIG_MODULE,
	KERNEL_CONFIG_YES,		/* built in; also an option with a value other than y */
};

/**
 * kernel_config_load() - read the first configuration that is found
 * @root:    put before every path: "" but for tests
 * @release: of the running kernel, as uname -r
 *
 * Return: 0, or -1 with FT_E_IO naming the files tried; then every answer is KERNEL_CONFIG_UNKNOWN.
 * Call kernel_config_fini() in both cases.
 */
int kernel_config_load(struct kernel_config *config, const char *root, const char *release,
		       struct ft_error *err);
void kernel_config_fini(struct kernel_config *config);

/* @option without CONFIG_: "FUNCTION_TRACER". */
enum kernel_config_answer kernel_config_get(const struct kernel_config *config, const char *option);

/* Is the running kernel known to have been built without CONFIG_@option? */
bool kernel_config_lacks(const char *option);
#endif
