/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_helper_none - in place of ctf_helper.c, in a program without libbabeltrace2.
 */
#include "parsers/ctf/ctf_helper.h"

bool ctf_helper_is_built(void)
{
	return false;
}

void ctf_helper_serve(int fd, void (*shut_in)(int folder))
{
	(void)fd;
	(void)shut_in;
}
