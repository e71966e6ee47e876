/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_text - events that trace-cmd and libtraceevent's plugins print by code of their own. */
#include "parsers/record_text_private.h"

const struct text_handler_def plugin_handlers[] = {
	{ NULL, NULL, NULL },
};

const struct text_function plugin_functions[] = {
	{ NULL, 0, NULL },
};
