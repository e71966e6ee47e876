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
#if defined(HAVE_LIBIBERTY) && defined(HAVE_LIBIBERTY_DEMANGLE_H)
#include <libiberty/demangle.h>
#elif defined(HAVE_LIBIBERTY)
#include <demangle.h>
#endif

#include "parsers/types/user_symbols.h"
#include "src/base/bisect.h"
#include "src/base/framing.h"
#include "src/base/memory.h"
#include "src/symbols/elf_wire.h"

#define PAGE		4096u		/* the kernel maps whole pages */

#define SIGN_MS		1000		/* between two signs of life */
#define MOST_BACK	16u		/* functions that may lie within another one */

struct elf_function {
	const char	*name;		/* borrowed, of the module */
	uint64_t	 from, size;	/* places; size 0: not known */
	uint64_t	 room;		/* up to the end of its section */
	int		 number, binding;	/* of its symbol; STB_ */
	bool		 is_plt;	/* not the function, but what jumps to it */
	bool		 is_asked;
};

struct elf_helper {
	int		 fd;		/* to who asks */
	int64_t		 sign_due;	/* framing_now() */
	int		 debug_fd;	/* -1: none */
	Dwfl_Module	*module;
	Elf		*elf;		/* borrowed, of the module */
	bool		 by_address;
	uint64_t	 lowest;	/* the image's lowest address, of a whole page */
	struct elf_function *functions;	/* owned, [nr] */
	uint32_t	 nr, cap;
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

/* Return: false: no byte of the file is there. */
static bool place_of(const struct elf_helper *h, uint64_t address, uint64_t *place)
{
	GElf_Phdr load;
	size_t i = 0;

	*place = address - h->lowest;
	if (h->by_address)
		return true;
	while (next_load(h, &i, &load))
		if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz) {
			*place = address - load.p_vaddr + load.p_offset;
			return true;
		}
	return false;
}

/* --- functions -------------------------------------------------------------------------------- */

/* In assembler, functions may have no type.  Of ARM, names such as $d mark what is no code. */
static bool is_function(const GElf_Sym *symbol, const char *name, const GElf_Shdr *section)
{
	unsigned int seen = GELF_ST_VISIBILITY(symbol->st_other);
	int type = GELF_ST_TYPE(symbol->st_info);

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && *name != '$' && section->sh_flags & SHF_EXECINSTR &&
	       (seen == STV_DEFAULT || seen == STV_PROTECTED);
}

static unsigned int underscores(const char *name)
{
	return (unsigned int)strspn(name, "_");
}

/* Of several names of one place, the first one is perf's: symbols__fixup_duplicate(). */
static int by_place(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;
	size_t len_x, len_y;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if ((x->binding == STB_WEAK) != (y->binding == STB_WEAK))
		return x->binding == STB_WEAK ? 1 : -1;
	if ((x->binding == STB_GLOBAL) != (y->binding == STB_GLOBAL))
		return x->binding == STB_GLOBAL ? -1 : 1;
	if (underscores(x->name) != underscores(y->name))
		return underscores(x->name) < underscores(y->name) ? -1 : 1;
	len_x = strlen(x->name);
	len_y = strlen(y->name);
	if (len_x != len_y)
		return len_x > len_y ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* One for each place, in their order.  What has no size goes up to the next one of its section. */
static void sort_functions(struct elf_helper *h)
{
	uint32_t nr = 0;

	if (!h->nr)
		return;
	qsort(h->functions, h->nr, sizeof(*h->functions), by_place);
	for (uint32_t i = 0; i < h->nr; i++)
		if (!nr || h->functions[i].from != h->functions[nr - 1].from)
			h->functions[nr++] = h->functions[i];
	h->nr = nr;
	for (struct elf_function *f = h->functions; f < h->functions + nr; f++) {
		if (!f->size && f + 1 < h->functions + nr)
			f->size = f[1].from - f->from;
		if (!f->size || f->size > f->room)
			f->size = f->room;
	}
}

/* A file may have millions of symbols. */
static void tell_sign(struct elf_helper *h)
{
	const struct elf_answer sign = { .bytes = ELF_AT_WORK };

	if (framing_now() < h->sign_due)
		return;
	framing_send(h->fd, &sign, sizeof(sign), NULL, 0, FRAMING_NO_LIMIT);
	h->sign_due = framing_now() + SIGN_MS;
}

static void add_function(struct elf_helper *h, struct elf_function *f, uint64_t address,
			 const GElf_Shdr *section)
{
	if (address < section->sh_addr || address - section->sh_addr >= section->sh_size ||
	    !place_of(h, address, &f->from))
		return;
	f->room = section->sh_size - (address - section->sh_addr);
	if (f->room > UINT64_MAX - f->from)
		return;
	mem_grow(&h->functions, h->nr, &h->cap);
	h->functions[h->nr++] = *f;
}

static bool find_section(Elf *elf, const char *name, GElf_Shdr *header, Elf_Scn **scn)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (*scn = NULL; (*scn = elf_nextscn(elf, *scn));) {
		const char *found = gelf_getshdr(*scn, header) ?
					    elf_strptr(elf, names, header->sh_name) :
					    NULL;

		if (found && !strcmp(found, name))
			return true;
	}
	return false;
}

/*
 * Jumps to functions of other files have no symbols; perf calls them "malloc@plt".  Of x86-64,
 * there is one for each relocation, behind a first one of another kind; in .plt.sec, no other is.
 */
static void find_jumps(struct elf_helper *h)
{
	GElf_Shdr plt, relocations, symbols;
	Elf_Scn *scn;
	bool is_second = find_section(h->elf, ".plt.sec", &plt, &scn);
	Elf_Data *places, *names;
	GElf_Ehdr file;
	GElf_Rela rela;
	GElf_Sym symbol;

	if (!gelf_getehdr(h->elf, &file) || file.e_machine != EM_X86_64 ||
	    (!is_second && !find_section(h->elf, ".plt", &plt, &scn)) || !plt.sh_entsize ||
	    !find_section(h->elf, ".rela.plt", &relocations, &scn))
		return;
	places = elf_getdata(scn, NULL);
	scn = elf_getscn(h->elf, relocations.sh_link);
	names = scn && gelf_getshdr(scn, &symbols) ? elf_getdata(scn, NULL) : NULL;
	for (int i = 0; places && names && gelf_getrela(places, i, &rela); i++) {
		struct elf_function f = { .is_plt = true, .size = plt.sh_entsize };

		if (gelf_getsym(names, (int)GELF_R_SYM(rela.r_info), &symbol))
			f.name = elf_strptr(h->elf, symbols.sh_link, symbol.st_name);
		if (f.name && *f.name)
			add_function(h, &f,
				     plt.sh_addr + ((unsigned int)i + !is_second) * plt.sh_entsize,
				     &plt);
	}
}

static void find_functions(struct elf_helper *h)
{
	int nr = dwfl_module_getsymtab(h->module);

	for (int i = 1; i < nr; i++) {
		struct elf_function f = { .number = i };
		GElf_Addr address, bias;
		GElf_Word section;
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Scn *scn;
		Elf *elf;

		f.name = dwfl_module_getsym_info(h->module, i, &symbol, &address, &section, &elf,
						 &bias);
		tell_sign(h);
		scn = f.name && *f.name && elf ? elf_getscn(elf, section) : NULL;
		if (section == SHN_UNDEF || !scn || !gelf_getshdr(scn, &header) ||
		    !is_function(&symbol, f.name, &header))
			continue;
		f.binding = GELF_ST_BIND(symbol.st_info);
		f.size = symbol.st_size;
		add_function(h, &f, address, &header);
	}
	find_jumps(h);
	sort_functions(h);
}

/* The function that a place is in, the innermost one; NULL: none. */
static struct elf_function *function_at(struct elf_helper *h, uint64_t place)
{
	uint32_t nr = bisect(h->nr, i, h->functions[i].from <= place);

	for (uint32_t i = nr; i-- > 0 && nr - i <= MOST_BACK;)
		if (place - h->functions[i].from < h->functions[i].size)
			return &h->functions[i];
	return NULL;
}

/* --- the answer ------------------------------------------------------------------------------- */

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

static void put_function(struct elf_helper *h, const struct elf_function *f)
{
	if (h->answer.len > ELF_MAX_ANSWER / 2)
		return;
	text_printf(&h->answer, "name 0 %" PRIx64 "-%" PRIx64 " ", f->from, f->from + f->size);
	add_name(&h->answer, f->name);
	if (f->is_plt) {
		h->answer.len--;
		text_add(&h->answer, "@plt\n");
	}
}

/* Has it all its symbols? */
static bool is_stripped(Elf *elf)
{
	GElf_Shdr header;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB)
			return false;
	return true;
}

static void answer(struct elf_helper *h, const struct elf_ask *ask, const uint64_t *places)
{
	const uint8_t *id;
	const char *link;
	ssize_t len = dwelf_elf_gnu_build_id(h->elf, (const void **)&id);
	struct elf_function *f;
	GElf_Word crc;

	text_add(&h->answer, len > 0 ? "file " : "file -");
	for (ssize_t i = 0; i < len; i++)
		text_printf(&h->answer, "%02x", id[i]);
	link = dwelf_elf_gnu_debuglink(h->elf, &crc);
	text_printf(&h->answer, " offset ");
	add_name(&h->answer, link ? link : "");
	h->by_address = ask->by_address;
	find_functions(h);
	for (uint32_t i = 0; i < ask->nr; i++)
		if ((f = function_at(h, places[i])))
			f->is_asked = true;
	for (uint32_t i = 0; i < h->nr; i++) {
		if (!ask->nr || h->functions[i].is_asked)
			put_function(h, &h->functions[i]);
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
	struct elf_answer head = { 0 };
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
	if (dwfl && open_file(&h, dwfl, fds[0])) {
		answer(&h, &ask, places);
		head.is_stripped = is_stripped(h.elf);
	}
	head.bytes = (uint32_t)h.answer.len;
	framing_send(fd, &head, sizeof(head), text_str(&h.answer), h.answer.len, FRAMING_NO_LIMIT);
	dwfl_end(dwfl);
	text_fini(&h.answer);
	free(h.functions);
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
