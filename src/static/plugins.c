/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugins - the C library's functions that load libraries: here none can be loaded.  libtraceevent
 * looks for plugins by them, and libdw for debuginfod.
 */
#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int dladdr(const void *address, Dl_info *info)
{
	(void)address;
	(void)info;
	return 0;
}

/*
 * glibc calls these two to load libraries that convert between character sets.  Without our
 * definitions, the linker adds glibc's whole loader and warns about dlopen().
 */
struct __gconv_loaded_object *__gconv_find_shlib(const char *name);
void __gconv_release_shlib(struct __gconv_loaded_object *object);

struct __gconv_loaded_object *__gconv_find_shlib(const char *name)
{
	(void)name;
	return NULL;
}

void __gconv_release_shlib(struct __gconv_loaded_object *object)
{
	(void)object;
}

char *dlerror(void)
{
	static char why[] = "this program is one file and loads no libraries";

	return why;
}
