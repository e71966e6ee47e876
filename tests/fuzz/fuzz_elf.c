/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_elf - the bytes as an ELF file, whose build ID the recorder reads as root; and as what a
 * helper answers of one.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parsers/types/user_symbols.h"
#include "recorder/tracefs/build_id.h"

const char fuzz_name[] = "fuzz_elf";

struct image {
	Elf64_Ehdr	head;
	Elf64_Phdr	segments[2];
	struct {
		Elf64_Nhdr	other;
		uint8_t		other_bytes[12];
		Elf64_Nhdr	id;
		uint8_t		id_bytes[24];
	} notes;
};

static void try_build_id(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct text id = { 0 };

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	build_id_read(fd, &id);
	close(fd);
	/* so it can stand in a line of the block */
	assert(id.len % 2 == 0 && id.len <= 128);
	assert(strspn(text_str(&id), "0123456789abcdef") == id.len);
	text_fini(&id);
}

/* Whatever it says, names are within the file that was asked about. */
static void try_answer(const uint8_t *data, size_t size)
{
	struct user_symbols *names = user_symbols_new();
	const struct user_name *list;
	uint32_t nr, files;

	user_symbols_add(names, (const char *)data, size);
	user_symbols_sort(names);
	user_symbols_files(names, &files);
	list = user_symbols_names(names, 0, &nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert(!list[i].file && list[i].from < list[i].to && !strchr(list[i].name, '\n'));
		user_symbols_name(names, 0, list[i].to - 1);
	}
	user_symbols_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_build_id(data, size);
	try_answer(data, size);
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static const char answer[] = "file 00ff12 offset prog.debug\nname 0 1139-1150 main\n"
				     "name 0 1160-1200 ns::f\nname 1 1-2 other\n";
	struct image image = {
		.head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				       ELFDATA2LSB },
			  .e_phoff = offsetof(struct image, segments),
			  .e_phnum = 2,
			  .e_phentsize = sizeof(Elf64_Phdr) },
		.segments = { { .p_type = PT_LOAD },
			      { .p_type = PT_NOTE,
				.p_offset = offsetof(struct image, notes),
				.p_filesz = sizeof(image.notes) } },
		.notes = { .other = { 4, 8, 1 },
			   .other_bytes = "XEN",
			   .id = { 4, 20, NT_GNU_BUILD_ID },
			   .id_bytes = "GNU" },
	};

	add(arg, &image, sizeof(image));
	image.notes.id.n_descsz = 0;
	add(arg, &image, sizeof(image));
	add(arg, answer, sizeof(answer) - 1);
}
