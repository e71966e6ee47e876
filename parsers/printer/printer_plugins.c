/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/printer/printer_plugins.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/text.h"

struct plugin {
	struct plugin	*next;
	void		*handle;	/* from dlopen() */
	struct tep_plugin_option *options; /* registered by us, or NULL */
};

struct loading {
	struct printer_plugins	*plugins;
	bool			trusting;
};

/* May folders of the environment be used? */
static bool trusts_environment(void)
{
	return geteuid() != 0 && geteuid() == getuid() && getegid() == getgid();
}

/* The path without slashes that do not matter: libtraceevent adds one to the folder in HOME. */
static char *folded(const char *path, size_t len)
{
	char *copy = mem_strndup(path, len), *to = copy;

	for (const char *from = copy; *from; from++)
		if (*from != '/' || (from[1] && from[1] != '/'))
			*to++ = *from;
	*to = '\0';
	return copy;
}

static bool is_same(const char *folder, size_t len, const char *other)
{
	char *a = folded(folder, len), *b = folded(other, strlen(other));
	bool same = !strcmp(a, b);

	free(a);
	free(b);
	return same;
}

/* The folder in HOME, owned by the caller; NULL without HOME. */
static char *home_folder(void)
{
	const char *home = getenv("HOME");
	struct text path = { 0 };

	if (home)
		text_printf(&path, "%s/.local/lib/traceevent/plugins", home);
	return path.data;
}

static bool is_of_environment(const char *folder, size_t len)
{
	const char *dir = getenv("TRACEEVENT_PLUGIN_DIR");
	char *home = home_folder();
	bool found = (dir && is_same(folder, len, dir)) || (home && is_same(folder, len, home));

	free(home);
	return found;
}

/* May nobody but this user and root have put files there? */
static bool is_own_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (st.st_uid == geteuid() || st.st_uid == 0) &&
	       !(st.st_mode & S_IWOTH) && (!(st.st_mode & S_IWGRP) || st.st_gid == getegid());
}

static bool has_plugin(const char *path)
{
	DIR *dir = path && is_own_folder(path) ? opendir(path) : NULL;
	struct dirent *e;
	bool any = false;

	while (dir && !any && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		any = len > 3 && !strcmp(e->d_name + len - 3, ".so");
	}
	if (dir)
		closedir(dir);
	return any;
}

bool printer_plugins_can_load(void)
{
	void *program = dlopen(NULL, RTLD_LAZY);

	if (program)
		dlclose(program);
	return program;
}

bool printer_plugins_user_has_any(void)
{
	char *home = home_folder();
	bool any = trusts_environment() && printer_plugins_can_load() &&
		   (has_plugin(getenv("TRACEEVENT_PLUGIN_DIR")) || has_plugin(home));

	free(home);
	return any;
}

bool printer_plugins_is_users(const void *function)
{
	const char *slash;
	Dl_info info;

	if (!dladdr(function, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	return slash && is_of_environment(info.dli_fname, (size_t)(slash - info.dli_fname));
}

/*
 * A plugin registers its options when it is loaded, or exports them under a name, which
 * libtraceevent itself no longer looks up since 1.9.
 */
static void add_options(struct plugin *plugin, const char *name)
{
#ifdef TEP_PLUGIN_OPTIONS_NAME
	const char *alias = dlsym(plugin->handle, TEP_PLUGIN_ALIAS_NAME);

	plugin->options = dlsym(plugin->handle, TEP_PLUGIN_OPTIONS_NAME);
	if (plugin->options)
		tep_plugin_add_options(alias ? alias : name, plugin->options);
#else
	(void)name;
	plugin->options = NULL;
#endif
}

/* Called for every *.so in libtraceevent's folders, in its order. */
static void load_plugin(struct tep_handle *tep, const char *path, const char *name, void *data)
{
	const struct loading *loading = data;
	struct printer_plugins *plugins = loading->plugins;
	struct text file = { 0 };
	tep_plugin_load_func load;
	struct plugin *plugin;
	void *handle, *repeat;

	if (is_of_environment(path, strlen(path)) && !(loading->trusting && is_own_folder(path)))
		return;
	text_printf(&file, "%s/%s", path, name);
	handle = dlopen(text_str(&file), RTLD_NOW | RTLD_GLOBAL);
	text_fini(&file);
	load = handle ? (tep_plugin_load_func)dlsym(handle, TEP_PLUGIN_LOADER_NAME) : NULL;
	if (!load) {			/* not a plugin: continue with the others */
		if (handle)
			dlclose(handle);
		return;
	}
	plugin = mem_alloc(sizeof(*plugin));
	plugin->handle = handle;
	plugin->next = plugins->list;
	plugins->list = plugin;
	if (!plugins->folder)
		plugins->folder = mem_strdup(path);
	add_options(plugin, name);
	repeat = dlsym(handle, "tep_func_repeat_format");
	if (repeat)
		plugins->repeat_format = repeat;
	load(tep);
}

void printer_plugins_load(struct printer_plugins *plugins, struct tep_handle *tep, bool system)
{
	struct loading loading = { plugins, trusts_environment() };

	if (!system)
		tep_set_flag(tep, TEP_DISABLE_SYS_PLUGINS);
	tep_load_plugins_hook(tep, ".so", load_plugin, &loading);
}

void printer_plugins_unload(struct printer_plugins *plugins, struct tep_handle *tep)
{
	while (plugins->list) {
		struct plugin *plugin = plugins->list;
		tep_plugin_unload_func unload;

		plugins->list = plugin->next;
		unload = (tep_plugin_unload_func)dlsym(plugin->handle, TEP_PLUGIN_UNLOADER_NAME);
		if (unload)
			unload(tep);
		if (plugin->options)
			tep_plugin_remove_options(plugin->options);
		dlclose(plugin->handle);
		free(plugin);
	}
	free(plugins->folder);
	plugins->folder = NULL;
	plugins->repeat_format = NULL;
}
