/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder/tracefs/kernel_config.h"
#include "tests/lib/fake_tracefs.h"

static int setup(void **state)
{
	struct fake_tracefs *fake = calloc(1, sizeof(*fake));

	fake_tracefs_init(fake);
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	fake_tracefs_fini(*state);
	free(*state);
	return 0;
}

static const char sample[] =
	"#\n# Linux/x86 6.1.0 Kernel Configuration\n#\n"
	"CONFIG_FUNCTION_TRACER=y\nCONFIG_BTRFS_FS=m\n# CONFIG_HWLAT_TRACER is not set\n"
	"CONFIG_HZ=250\nCONFIG_LSM=\"landlock,lockdown\"\nCONFIG_OFF=n\nCONFIG_NAME=\"\"";

static void check_sample(const struct kernel_config *config)
{
	assert_int_equal(kernel_config_get(config, "FUNCTION_TRACER"), KERNEL_CONFIG_YES);
	assert_int_equal(kernel_config_get(config, "BTRFS_FS"), KERNEL_CONFIG_MODULE);
	assert_int_equal(kernel_config_get(config, "HWLAT_TRACER"), KERNEL_CONFIG_NO);
	assert_int_equal(kernel_config_get(config, "HZ"), KERNEL_CONFIG_YES);
	assert_int_equal(kernel_config_get(config, "LSM"), KERNEL_CONFIG_YES);
	assert_int_equal(kernel_config_get(config, "OFF"), KERNEL_CONFIG_NO);
	assert_int_equal(kernel_config_get(config, "NAME"), KERNEL_CONFIG_YES);
	/* Beginnings, ends and what is not named are not the option. */
	assert_int_equal(kernel_config_get(config, "FUNCTION"), KERNEL_CONFIG_NO);
	assert_int_equal(kernel_config_get(config, "FUNCTION_TRACER_X"), KERNEL_CONFIG_NO);
	assert_int_equal(kernel_config_get(config, "TRACER"), KERNEL_CONFIG_NO);
	assert_int_equal(kernel_config_get(config, ""), KERNEL_CONFIG_NO);
}

static void test_boot(void **state)
{
	struct fake_tracefs *fake = *state;
	struct kernel_config config;

	fake_tracefs_put(fake, "boot/config-6.1.0-cloud", sample);
	assert_int_equal(kernel_config_load(&config, fake->root, "6.1.0-cloud", NULL), 0);
	assert_string_equal(config.source, "/boot/config-6.1.0-cloud");
	check_sample(&config);
	kernel_config_fini(&config);
}

static void test_modules(void **state)
{
	struct fake_tracefs *fake = *state;
	struct kernel_config config;

	fake_tracefs_put(fake, "lib/modules/6.9/config", sample);
	assert_int_equal(kernel_config_load(&config, fake->root, "6.9", NULL), 0);
	assert_string_equal(config.source, "/lib/modules/6.9/config");
	check_sample(&config);
	kernel_config_fini(&config);
}

/* Another kernel's file is no answer. */
static void test_none(void **state)
{
	struct fake_tracefs *fake = *state;
	struct kernel_config config;
	struct ft_error err = { 0 };

	fake_tracefs_put(fake, "boot/config-6.1.0-other", sample);
	assert_int_equal(kernel_config_load(&config, fake->root, "6.1.0-cloud", &err), -1);
	assert_int_equal(err.code, FT_E_IO);
	assert_string_equal(
		err.message,
		"no kernel configuration: neither /proc/config.gz nor /boot/config-6.1.0-cloud");
	assert_int_equal(kernel_config_get(&config, "FUNCTION_TRACER"), KERNEL_CONFIG_UNKNOWN);
	kernel_config_fini(&config);
	assert_int_equal(kernel_config_get(&config, "FUNCTION_TRACER"), KERNEL_CONFIG_UNKNOWN);
}

#ifdef HAVE_ZLIB
/* printf 'CONFIG_A=y\nCONFIG_B=m\n' | gzip -n9 */
static const unsigned char zipped[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x73, 0xf6, 0xf7, 0x73, 0xf3,
	0x74, 0x8f, 0x77, 0xb4,
	0xad, 0xe4, 0x72, 0x86, 0x30, 0x9d, 0x6c, 0x73, 0xb9, 0x00, 0x30, 0x5d, 0xb0, 0x53, 0x16,
	0x00, 0x00, 0x00,
};

static void test_gz(void **state)
{
	struct fake_tracefs *fake = *state;
	struct kernel_config config;

	fake_tracefs_put_bytes(fake, "proc/config.gz", zipped, sizeof(zipped));
	fake_tracefs_put(fake, "boot/config-6.1", sample);
	assert_int_equal(kernel_config_load(&config, fake->root, "6.1", NULL), 0);
	assert_string_equal(config.source, "/proc/config.gz");
	assert_int_equal(kernel_config_get(&config, "A"), KERNEL_CONFIG_YES);
	assert_int_equal(kernel_config_get(&config, "B"), KERNEL_CONFIG_MODULE);
	kernel_config_fini(&config);
}

/* Half a configuration would answer "not set" to what stood in the other half. */
static void test_gz_cut(void **state)
{
	struct fake_tracefs *fake = *state;
	struct kernel_config config;

	fake_tracefs_put(fake, "boot/config-6.1", sample);
	for (size_t len = 0; len < sizeof(zipped); len++) {
		fake_tracefs_put_bytes(fake, "proc/config.gz", zipped, len);
		assert_int_equal(kernel_config_load(&config, fake->root, "6.1", NULL), 0);
		assert_string_equal(config.source, "/boot/config-6.1");
		check_sample(&config);
		kernel_config_fini(&config);
	}
}
#endif

static void test_no_config(void **state)
{
	static const char *const bad[] = { "", "<html>CONFIG_A=y", "hello\n" };
	struct fake_tracefs *fake = *state;
	struct kernel_config config;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fake_tracefs_put(fake, "boot/config-6.1", bad[i]);
		assert_int_equal(kernel_config_load(&config, fake->root, "6.1", NULL), -1);
	}
	fake_tracefs_put_bytes(fake, "boot/config-6.1", "CONFIG_A=y\n\0CONFIG_B=y\n", 23);
	assert_int_equal(kernel_config_load(&config, fake->root, "6.1", NULL), -1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_boot), T(test_modules), T(test_none), T(test_no_config),
#ifdef HAVE_ZLIB
		T(test_gz), T(test_gz_cut),
#endif
	};

	return cmocka_run_group_tests_name("kernel_config", tests, NULL, NULL);
}
