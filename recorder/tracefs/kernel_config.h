/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_KERNEL_CONFIG_H
#define FTOP_RECORDER_KERNEL_CONFIG_H
/*
 * kernel_config - what the running kernel was built with, where it tells:
 * /proc/config.gz, or the file that distributions install beside the kernel.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct kernel_config {
	char		*source;	/* owned: the file that was read; NULL: none could be */
	struct text	 text;		/* its lines */
};

enum kernel_config_answer {
	KERNEL_CONFIG_UNKNOWN,		/* no configuration can be read here */
	KERNEL_CONFIG_NO,		/* not set, or not even named: what it depends on is not set */
	KERNEL_CONFIG_MODULE,
	KERNEL_CONFIG_YES,		/* built in; also of an option with another value than y */
};

/**
 * kernel_config_load() - read the first configuration there is
 * @root:    put before every path: "" but for tests
 * @release: of the running kernel, as uname -r
 *
 * Return: 0 (also to be ended with kernel_config_fini()), or -1 with FT_E_IO naming the places looked at; then every
 * answer is KERNEL_CONFIG_UNKNOWN.
 */
int kernel_config_load(struct kernel_config *config, const char *root, const char *release, struct ft_error *err);
void kernel_config_fini(struct kernel_config *config);

/* @option without CONFIG_: "FUNCTION_TRACER". */
enum kernel_config_answer kernel_config_get(const struct kernel_config *config, const char *option);

/* Whether the running kernel is known to have been built without "CONFIG_NAME". */
bool kernel_config_lacks(const char *option);
#endif
