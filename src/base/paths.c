/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/inside.h"

const char *paths_data(const char *name, char *buf, size_t size)
{
	const char *base = secure_getenv("FTOP_DATADIR");
	int len = snprintf(buf, size, "%s/%s", base && *base ? base : FTOP_DATADIR, name);

	return len > 0 && (size_t)len < size ? buf : NULL;
}

static const char *xdg(const char *variable, const char *in_home, const char *name, char *buf,
		       size_t size)
{
	const char *base = secure_getenv(variable);
	const char *home = secure_getenv("HOME");
	int len;

	if (base && base[0] == '/')
		len = snprintf(buf, size, "%s/ftop-trace/%s", base, name);
	else if (home && home[0] == '/')
		len = snprintf(buf, size, "%s/%s/ftop-trace/%s", home, in_home, name);
	else
		return NULL;
	return len > 0 && (size_t)len < size ? buf : NULL;
}

const char *paths_config(const char *name, char *buf, size_t size)
{
	return xdg("XDG_CONFIG_HOME", ".config", name, buf, size);
}

const char *paths_state(const char *name, char *buf, size_t size)
{
	return xdg("XDG_STATE_HOME", ".local/state", name, buf, size);
}

const char *paths_demo(char *buf, size_t size)
{
	static const char *const names[] = { "tests/demo/demo.dat", "demo.dat" };
	size_t len;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (paths_data(names[i], buf, size) && access(buf, R_OK) == 0)
			return buf;
	return inside_find("demo.dat", &len) ? paths_data("demo.dat", buf, size) : NULL;
}
