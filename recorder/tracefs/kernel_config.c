/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/kernel_config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/base/small_file.h"

#define MAX_CONFIG	(16u << 20)	/* bytes; those of distributions have 300 KiB */
#define READ_PIECE	(64u << 10)

#ifdef HAVE_ZLIB
/* zlib passes uncompressed data through, so one reader serves both. */
static bool read_file(const char *path, struct text *out)
{
	gzFile in = gzopen(path, "rbe");
	int got = -1;

	text_clear(out);
	if (!in)
		return false;
	do {
		text_reserve(out, READ_PIECE);
		got = gzread(in, out->data + out->len, READ_PIECE);
		if (got > 0)
			out->len += got;
		out->data[out->len] = '\0';
	} while (got > 0 && out->len <= MAX_CONFIG);
	/* a truncated stream is only reported here */
	return gzclose(in) == Z_OK && got == 0;
}
#else
static bool read_file(const char *path, struct text *out)
{
	text_clear(out);
	return !small_file_read(path, MAX_CONFIG, out, NULL);
}
#endif

/*
 * A configuration has options, set or not, at the beginnings of lines; compressed bytes and HTML
 * have none.
 */
static bool is_config(const struct text *text)
{
	const char *s = text_str(text);

	return strlen(s) == text->len && (!strncmp(s, "CONFIG_", 7) || strstr(s, "\nCONFIG_"));
}

int kernel_config_load(struct kernel_config *config, const char *root, const char *release,
		       struct ft_error *err)
{
	static const struct {
		const char *before, *after;	/* the release; NULL: it has none */
	} places[] = {
		{ "/proc/config.gz" },
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/usr/lib/modules/", "/config" },
		{ "/usr/lib/kernel/config-", "" },
		{ "/lib/modules/", "/build/.config" },
	};

	*config = (struct kernel_config){ 0 };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *path = TRACEFS_TEXT("%s%s%s%s", root, places[i].before,
						places[i].after ? release : "",
						places[i].after ? places[i].after : "");

		if (!read_file(path, &config->text) || !is_config(&config->text))
			continue;
		config->source = mem_strdup(path + strlen(root));
		return 0;
	}
	kernel_config_fini(config);
	return ft_error_set(err, FT_E_IO, -1,
			    "no kernel configuration: neither /proc/config.gz nor /boot/config-%s",
			    release);
}

void kernel_config_fini(struct kernel_config *config)
{
	free(config->source);
	text_fini(&config->text);
	*config = (struct kernel_config){ 0 };
}

enum kernel_config_answer kernel_config_get(const struct kernel_config *config, const char *option)
{
	size_t len = strlen(option);

	if (!config->source)
		return KERNEL_CONFIG_UNKNOWN;
	for (const char *p = text_str(&config->text); p; p = (p = strchr(p, '\n')) ? p + 1 : NULL) {
		if (strncmp(p, "CONFIG_", 7) || strncmp(p + 7, option, len) || p[7 + len] != '=')
			continue;
		p += 8 + len;
		if (p[0] == 'n' && (p[1] == '\n' || !p[1]))
			return KERNEL_CONFIG_NO;
		return p[0] == 'm' && (p[1] == '\n' || !p[1]) ? KERNEL_CONFIG_MODULE :
								KERNEL_CONFIG_YES;
	}
	return KERNEL_CONFIG_NO;
}

bool kernel_config_lacks(const char *option)
{
	struct kernel_config known;
	struct utsname uts;
	bool lacks;

	if (uname(&uts) || kernel_config_load(&known, "", uts.release, NULL))
		return false;
	lacks = kernel_config_get(&known, option) == KERNEL_CONFIG_NO;
	kernel_config_fini(&known);
	return lacks;
}
