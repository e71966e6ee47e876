/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_text - events that the kernel prints by code of its own. */
#include "parsers/record_text_private.h"

const struct text_handler_def kernel_handlers[] = {
	{ NULL, NULL, NULL },
};
