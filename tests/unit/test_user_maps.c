/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests user_maps and build_id.  The test writes the /proc and the files that they read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/tracefs/build_id.h"
#include "recorder/tracefs/user_maps.h"

static char proc[] = "/tmp/ftop-maps-XXXXXX";

static void put(int pid, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_process(int pid, const char *statm, const char *auxv, const char *maps)
{
	put(pid, "statm", statm);
	put(pid, "auxv", auxv);
	put(pid, "maps", maps);
}

static uint64_t the_time;

static void (*at_time)(void);		/* what happens when a look asks for the time */

static uint64_t now_of(void *arg)
{
	assert_ptr_equal(arg, &the_time);
	if (at_time)
		at_time();
	return the_time;
}

static void look(struct user_maps *m, bool only_young, uint64_t now)
{
	the_time = now;
	user_maps_look(m, only_young);
}

static void look_at(struct user_maps *m, int pid, uint64_t now)
{
	the_time = now;
	user_maps_look_at(m, pid);
}

static uint64_t stamp_of(const void *arg, uint64_t now)
{
	return now + *(const uint64_t *)arg;
}

static void expect(const struct user_maps *m, bool has_stamps, uint64_t shift, const char *expected)
{
	struct text t = { 0 };

	user_maps_text(m, has_stamps ? stamp_of : NULL, &shift, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

#define A_MAP	"400000-401000 r-xp 00001000 08:01 77                         /bin/a b\n"
#define A_DATA	"402000-403000 rw-p 00002000 08:01 77                         /bin/a b\n"
#define X_MAP	"7f0000000000-7f0000002000 r-xp 00003000 08:01 78                 /lib/x.so\n"
#define JIT_MAP "7f1000000000-7f1000001000 rwxp 00000000 00:00 0 \n"

static void test_looks(void **state)
{
	struct user_maps *m = user_maps_new(proc, false, now_of, &the_time);

	(void)state;
	put_process(7, "100 50 20 5 0 30 0\n", "one", A_MAP A_DATA X_MAP);
	put_process(9, "0 0 0 0 0 0 0\n", "", "");	/* a thread of the kernel */
	put(8, "stat", "no memory\n");
	look(m, false, 1000);
	/* the same sizes: it is not read again */
	put(7, "maps", JIT_MAP);
	look_at(m, 7, 1100);
	expect(m, true, 5,
	       "file - offset /bin/a b\nfile - offset /lib/x.so\n"
	       "map 7 400000-401000 1000 1005 1105 0\n"
	       "map 7 7f0000000000-7f0000002000 3000 1005 1105 1\n");
	/* the library goes, and comes back */
	put_process(7, "90 50 20 5 0 30 0\n", "one", A_MAP JIT_MAP);
	look(m, false, 1200);
	put_process(7, "100 50 20 5 0 30 0\n", "one", A_MAP X_MAP);
	look(m, false, 1300);
	/* an exec of a program of the same size; and it ends, as a zombie without maps */
	put_process(7, "100 50 20 5 0 30 0\n", "two", X_MAP);
	look(m, false, 1400);
	put_process(7, "99 50 20 5 0 30 0\n", "two", "");
	look(m, false, 1500);
	/* only young ones: 7 is a second old */
	put(7, "maps", X_MAP A_MAP);
	look(m, true, 1000001000);
	look_at(m, 12345, 1000001001);
	expect(m, true, 0,
	       "file - offset /bin/a b\nfile - offset /lib/x.so\n"
	       "map 7 400000-401000 1000 1000 1300 0\n"
	       "map 7 7f0000000000-7f0000002000 3000 1000 1100 1\n"
	       "map 7 7f1000000000-7f1000001000 0 1200 1200 -\n"
	       "map 7 7f0000000000-7f0000002000 3000 1300 1400 1\n");
	expect(m, false, 0,
	       "file - offset /bin/a b\nfile - offset /lib/x.so\n"
	       "map 7 400000-401000 1000 0 18446744073709551615 0\n"
	       "map 7 7f0000000000-7f0000002000 3000 0 18446744073709551615 1\n"
	       "map 7 7f1000000000-7f1000001000 0 0 18446744073709551615 -\n"
	       "map 7 7f0000000000-7f0000002000 3000 0 18446744073709551615 1\n");
	user_maps_free(m);
}

/* It runs another program when its mark has been read. */
static void run_another(void)
{
	static unsigned int nr;

	if (nr++)
		put_process(5, "100 50 20 5 0 30 0\n", "two", X_MAP);
}

static void test_exec_in_a_look(void **state)
{
	struct user_maps *m = user_maps_new(proc, false, now_of, &the_time);

	(void)state;
	put_process(5, "100 50 20 5 0 30 0\n", "one", A_MAP);
	at_time = run_another;
	look_at(m, 5, 2000);
	at_time = NULL;
	expect(m, true, 0, "");
	look_at(m, 5, 2100);
	expect(m, true, 0,
	       "file - offset /lib/x.so\nmap 5 7f0000000000-7f0000002000 3000 2100 2100 0\n");
	user_maps_free(m);
}

/* --- build IDs -------------------------------------------------------------------------------- */

struct image {
	Elf64_Ehdr	head;
	Elf64_Phdr	load, notes;
	struct {
		Elf64_Nhdr	other;
		char		other_name[8];
		uint32_t	other_bytes;
		Elf64_Nhdr	id;
		char		id_name[4];
		uint8_t		id_bytes[6];
	} note;
};

static struct image good(void)
{
	struct image image = {
		.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				       __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB :
										ELFDATA2LSB },
			  .e_phoff = offsetof(struct image, load), .e_phnum = 2,
			  .e_phentsize = sizeof(Elf64_Phdr) },
		.load = { .p_type = PT_LOAD },
		.notes = { .p_type = PT_NOTE, .p_offset = offsetof(struct image, note),
			   .p_filesz = sizeof(image.note) },
		.note = { .other = { .n_namesz = 5, .n_descsz = 4, .n_type = 3 },
			  .other_name = "ABCD", .id = { 4, 6, NT_GNU_BUILD_ID },
			  .id_name = "GNU", .id_bytes = { 0x00, 0xff, 0x12, 0x34, 0x56, 0xab } },
	};

	return image;
}

static void expect_id(const void *bytes, size_t size, const char *expected)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct text id = { 0 };

	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	build_id_read(fd, &id);
	assert_string_equal(text_str(&id), expected);
	text_fini(&id);
	close(fd);
}

static void test_build_id(void **state)
{
	struct image image = good();

	(void)state;
	expect_id(&image, sizeof(image), "00ff123456ab");
	for (size_t size = 0; size < offsetof(struct image, note.id_bytes) + 6; size++)
		expect_id(&image, size, "");
	image.head.e_ident[EI_DATA] = 3 - image.head.e_ident[EI_DATA];
	expect_id(&image, sizeof(image), "");
	image = good();
	image.note.other.n_namesz = UINT32_MAX;
	expect_id(&image, sizeof(image), "");
	image = good();
	image.note.id.n_descsz = UINT32_MAX - 2;
	expect_id(&image, sizeof(image), "");
	image = good();
	image.notes.p_offset = UINT64_MAX;
	expect_id(&image, sizeof(image), "");
	image = good();
	image.notes.p_filesz = UINT64_MAX;
	expect_id(&image, sizeof(image), "00ff123456ab");
	image = good();
	image.head.e_phoff = UINT64_MAX - 8;
	expect_id(&image, sizeof(image), "");
	image = good();
	image.head.e_phentsize = 1;
	expect_id(&image, sizeof(image), "");
}

static int make_proc(void **state)
{
	(void)state;
	return !mkdtemp(proc);
}

static int remove_proc(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", proc);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks), cmocka_unit_test(test_exec_in_a_look),
		cmocka_unit_test(test_build_id),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
