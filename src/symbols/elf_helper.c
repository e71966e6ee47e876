/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/symbols/elf_helper.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "parsers/types/user_symbols.h"
#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/symbols/elf_wire.h"

#define PAGE		4096u		/* the kernel maps whole pages */

#define SIGN_MS		1000		/* between two signs of life */

struct elf_helper {
	int		 fd;		/* to who asks */
	int64_t		 sign_due;	/* framing_now() */
	int		 debug_fd;	/* -1: none */
	Dwfl_Module	*module;
	Elf		*elf;		/* borrowed, of the module */
	bool		 by_address;
	uint64_t	 lowest;	/* the image's lowest address, of a whole page */
	struct text	 answer;
};

/* --- the file --------------------------------------------------------------------------------- */

static int find_no_elf(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf)
{
	(void)mod;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file_name;
	(void)elf;
	return -1;
}

/* libdw closes what it gets. */
static int find_debug(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		      const char *file_name, const char *link, GElf_Word crc, char **debug_name)
{
	struct elf_helper *h = *userdata;
	int fd = h->debug_fd;

	(void)mod;
	(void)name;
	(void)base;
	(void)file_name;
	(void)link;
	(void)crc;
	(void)debug_name;
	h->debug_fd = -1;
	return fd;
}

/* A debug file belongs to the file that has its build ID. */
static void check_debug(struct elf_helper *h)
{
	const void *id, *other;
	Elf *elf = h->debug_fd < 0 ? NULL : elf_begin(h->debug_fd, ELF_C_READ, NULL);
	ssize_t len = dwelf_elf_gnu_build_id(h->elf, &id);

	if (!elf || len <= 0 || dwelf_elf_gnu_build_id(elf, &other) != len ||
	    memcmp(id, other, (size_t)len) != 0)
		h->debug_fd = -1;
	elf_end(elf);
}

static bool next_load(const struct elf_helper *h, size_t *i, GElf_Phdr *load)
{
	size_t nr;

	if (elf_getphdrnum(h->elf, &nr))
		return false;
	while (*i < nr)
		if (gelf_getphdr(h->elf, (int)(*i)++, load) && load->p_type == PT_LOAD)
			return true;
	return false;
}

static bool open_file(struct elf_helper *h, Dwfl *dwfl, int fd)
{
	void **userdata;
	GElf_Phdr load;
	GElf_Addr bias;
	size_t i = 0;

	dwfl_report_begin(dwfl);
	h->module = dwfl_report_elf(dwfl, "file", "file", fd, 0, true);
	dwfl_report_end(dwfl, NULL, NULL);
	h->elf = h->module ? dwfl_module_getelf(h->module, &bias) : NULL;
	if (!h->elf || bias)
		return false;
	dwfl_module_info(h->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = h;
	h->lowest = UINT64_MAX;
	while (next_load(h, &i, &load))
		if (load.p_vaddr / PAGE * PAGE < h->lowest)
			h->lowest = load.p_vaddr / PAGE * PAGE;
	check_debug(h);
	return true;
}

/* --- places ----------------------------------------------------------------------------------- */

/* Return: false: the place is in no segment. */
static bool address_of(const struct elf_helper *h, uint64_t place, uint64_t *address)
{
	GElf_Phdr load;
	size_t i = 0;

	*address = place + h->lowest;
	if (h->by_address)
		return true;
	while (next_load(h, &i, &load))
		if (place >= load.p_offset && place - load.p_offset < load.p_filesz) {
			*address = place - load.p_offset + load.p_vaddr;
			return true;
		}
	return false;
}

static void add_name(struct text *out, const char *name)
{
	char *plain = NULL, *version;
	size_t from = out->len;

#ifdef HAVE_LIBIBERTY
	plain = cplus_demangle(name, DMGL_NO_OPTS);
#endif
	text_add(out, plain ? plain : name);
	free(plain);
	/* "clock_nanosleep@GLIBC_2.2.5" */
	if (!plain && out->len > from && (version = strchr(out->data + from + 1, '@')))
		out->len = (size_t)(version - out->data);
	for (size_t i = from; i < out->len; i++)
		if (out->data[i] == '\n')
			out->data[i] = '?';
	text_char(out, '\n');
}

/* Return: where the function ends; places before it need no line of their own. */
static uint64_t put_name(struct elf_helper *h, uint64_t place)
{
	uint64_t address, offset, size;
	const char *name;
	GElf_Sym symbol;

	if (!address_of(h, place, &address))
		return 0;
	name = dwfl_module_addrinfo(h->module, address, &offset, &symbol, NULL, NULL, NULL);
	if (!name || !*name || offset > place || h->answer.len > ELF_MAX_ANSWER / 2)
		return 0;
	/* without a size, of a label in assembler, it goes as far as is known */
	size = symbol.st_size > offset && symbol.st_size <= UINT64_MAX - (place - offset) ?
		       symbol.st_size :
		       offset + 1;
	text_printf(&h->answer, "name 0 %" PRIx64 "-%" PRIx64 " ", place - offset,
		    place - offset + size);
	add_name(&h->answer, name);
	return place - offset + size;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A file may have a million functions, all of which libdw looks at for each place. */
static void tell_sign(struct elf_helper *h)
{
	const struct elf_answer sign = { .bytes = ELF_AT_WORK };

	if (framing_now() < h->sign_due)
		return;
	framing_send(h->fd, &sign, sizeof(sign), NULL, 0, FRAMING_NO_LIMIT);
	h->sign_due = framing_now() + SIGN_MS;
}

static void answer(struct elf_helper *h, const struct elf_ask *ask, uint64_t *places)
{
	const uint8_t *id;
	const char *link;
	ssize_t len = dwelf_elf_gnu_build_id(h->elf, (const void **)&id);
	uint64_t end = 0;
	GElf_Word crc;

	h->by_address = ask->by_address;
	text_add(&h->answer, len > 0 ? "file " : "file -");
	for (ssize_t i = 0; i < len; i++)
		text_printf(&h->answer, "%02x", id[i]);
	link = dwelf_elf_gnu_debuglink(h->elf, &crc);
	text_printf(&h->answer, " offset ");
	add_name(&h->answer, link ? link : "");
	qsort(places, ask->nr, sizeof(*places), by_number);
	for (uint32_t i = 0; i < ask->nr; i++) {
		if (places[i] >= end)
			end = put_name(h, places[i]);
		tell_sign(h);
	}
}

/* --- one question ----------------------------------------------------------------------------- */

bool elf_helper_is_built(void)
{
	return true;
}

void elf_helper_serve(int fd, void (*shut_in)(int folder))
{
	static const Dwfl_Callbacks callbacks = { .find_elf = find_no_elf,
						  .find_debuginfo = find_debug };
	const struct itimerval timer = { .it_value = { .tv_sec = ELF_SECONDS } };
	int fds[2], nr;
	struct elf_helper h = { .fd = fd, .sign_due = framing_now() + SIGN_MS, .debug_fd = -1 };
	struct elf_answer head;
	struct elf_ask ask;
	uint64_t *places;
	Dwfl *dwfl;

	nr = framing_receive_fds(fd, &ask, sizeof(ask), fds, 2);
	if (nr < 1 || ask.nr > ELF_MAX_PLACES || setitimer(ITIMER_PROF, &timer, NULL))
		return;
	if (shut_in)
		shut_in(-1);
	places = mem_array(ask.nr + 1ul, sizeof(*places));
	if (framing_receive(fd, places, ask.nr * sizeof(*places), FRAMING_NO_LIMIT))
		return;
	h.debug_fd = nr > 1 ? fds[1] : -1;
	elf_version(EV_CURRENT);
	dwfl = dwfl_begin(&callbacks);
	if (dwfl && open_file(&h, dwfl, fds[0]))
		answer(&h, &ask, places);
	head.bytes = (uint32_t)h.answer.len;
	framing_send(fd, &head, sizeof(head), text_str(&h.answer), h.answer.len, FRAMING_NO_LIMIT);
	dwfl_end(dwfl);
	text_fini(&h.answer);
	free(places);
}

#else
bool elf_helper_is_built(void)
{
	return false;
}

void elf_helper_serve(int fd, void (*shut_in)(int folder))
{
	(void)fd;
	(void)shut_in;
}
#endif
