/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/machine_lines.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"

#define CPUS		"sys/devices/system/cpu"
#define CACHES		16		/* of a CPU */
#define CPUS_MAX	65536

/* The beginning of a file; false: there is none. */
static bool read_text(const char *root, const char *path, char *text, size_t size)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	return tracefs_dir_read_into(AT_FDCWD, full, text, size) && *text;
}

/* The number that a file begins with: of a list of CPUs, the lowest; -1: none. */
static int64_t number(const char *root, const char *path)
{
	char text[64], *end;
	int64_t v;

	if (!read_text(root, path, text, sizeof(text)))
		return -1;
	v = strtoll(text, &end, 10);
	return end == text || v < 0 ? -1 : v;
}

static int64_t topology(const char *root, int cpu, const char *file, const char *older)
{
	int64_t v = number(root, TRACEFS_TEXT(CPUS "/cpu%d/topology/%s", cpu, file));

	return v < 0 && older ? number(root, TRACEFS_TEXT(CPUS "/cpu%d/topology/%s", cpu, older)) :
				v;
}

/* The lowest CPU that shares a data cache of this level. */
static int64_t cache(const char *root, int cpu, int level)
{
	for (int i = 0; i < CACHES; i++) {
		const char *folder = TRACEFS_TEXT(CPUS "/cpu%d/cache/index%d", cpu, i);
		char type[32];

		if (!read_text(root, TRACEFS_TEXT("%s/type", folder), type, sizeof(type)))
			break;
		if (number(root, TRACEFS_TEXT("%s/level", folder)) == level && type[0] != 'I')
			return number(root, TRACEFS_TEXT("%s/shared_cpu_list", folder));
	}
	return -1;
}

/* A CPU's folder has a link to its node. */
static int node_of(const char *root, int cpu)
{
	char path[PATH_MAX];
	struct dirent *d;
	int node = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" CPUS "/cpu%d", root, cpu);
	dir = opendir(path);
	while (dir && node < 0 && (d = readdir(dir)))
		if (!strncmp(d->d_name, "node", 4) && isdigit((unsigned char)d->d_name[4]))
			node = atoi(d->d_name + 4);
	if (dir)
		closedir(dir);
	return node;
}

static void add_cpu(const char *root, int cpu, struct text *out)
{
	const char *frequency = TRACEFS_TEXT(CPUS "/cpu%d/cpufreq", cpu);
	const int64_t numbers[] = {
		cpu,
		topology(root, cpu, "core_cpus_list", "thread_siblings_list"),
		topology(root, cpu, "cluster_cpus_list", NULL),
		topology(root, cpu, "die_cpus_list", NULL),
		topology(root, cpu, "physical_package_id", NULL),
		node_of(root, cpu),
		cache(root, cpu, 2),
		cache(root, cpu, 3),
		number(root, TRACEFS_TEXT(CPUS "/cpu%d/cpu_capacity", cpu)),
		number(root, TRACEFS_TEXT("%s/cpuinfo_min_freq", frequency)),
		number(root, TRACEFS_TEXT("%s/cpuinfo_max_freq", frequency)),
	};

	text_add(out, "cpu");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		text_printf(out, " %" PRId64, numbers[i]);
	text_char(out, '\n');
}

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* CPUs that are off have no topology. */
static void add_cpus(const char *root, struct text *out)
{
	char path[PATH_MAX];
	unsigned int nr = 0, cap = 0;
	int *cpus = NULL;
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/" CPUS, root);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		char *end;
		long cpu = !strncmp(d->d_name, "cpu", 3) && isdigit((unsigned char)d->d_name[3]) ?
				   strtol(d->d_name + 3, &end, 10) :
				   -1;

		if (cpu < 0 || *end || cpu >= CPUS_MAX)
			continue;
		mem_grow(&cpus, nr, &cap);
		cpus[nr++] = (int)cpu;
	}
	if (dir)
		closedir(dir);
	if (nr)
		qsort(cpus, nr, sizeof(*cpus), compare_ints);
	for (unsigned int i = 0; i < nr; i++)
		add_cpu(root, cpus[i], out);
	free(cpus);
}

static void add_memory(const char *root, struct text *out)
{
	char text[256];
	long long kb;

	if (read_text(root, "proc/meminfo", text, sizeof(text)) &&
	    sscanf(text, "MemTotal: %lld kB", &kb) == 1)
		text_printf(out, "memory %lld\n", kb * 1024);
}

/* Who runs this machine, if it is a virtual one. */
static const char *virtualization(const char *root)
{
	static const struct {
		const char	*file, *text, *name;
	} signs[] = {
		{ "sys/hypervisor/type", "xen", "xen" },
		{ "sys/class/dmi/id/sys_vendor", "QEMU", "qemu" },
		{ "sys/class/dmi/id/sys_vendor", "Amazon EC2", "amazon" },
		{ "sys/class/dmi/id/sys_vendor", "VMware", "vmware" },
		{ "sys/class/dmi/id/sys_vendor", "innotek", "virtualbox" },
		{ "sys/class/dmi/id/product_name", "Virtual Machine", "hyper-v" },
		{ "sys/class/dmi/id/product_name", "Google Compute", "google" },
		{ "sys/class/dmi/id/product_name", "KVM", "kvm" },
		{ "sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock",
		  "kvm" },
		{ "sys/devices/system/clocksource/clocksource0/available_clocksource", "hyperv",
		  "hyper-v" },
	};
	char text[16384];

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (read_text(root, signs[i].file, text, sizeof(text)) &&
		    strstr(text, signs[i].text))
			return signs[i].name;
	if (!read_text(root, "proc/cpuinfo", text, sizeof(text)))
		return NULL;
	return strstr(text, " hypervisor") ? "unknown" : strstr(text, "\nflags") ? "none" : NULL;
}

void machine_lines(const char *root, struct text *out)
{
	const char *virt = virtualization(root);

	add_memory(root, out);
	if (virt)
		text_printf(out, "virt %s\n", virt);
	add_cpus(root, out);
}
