/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "src/base/memory.h"

void text_fini(struct text *t)
{
	free(t->data);
	memset(t, 0, sizeof(*t));
}

bool text_has_capital(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			return true;
	return false;
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->data)
		t->data[0] = '\0';
}

void text_extend(struct text *t, size_t more)
{
	size_t size = t->size ? t->size : 128;

	while (more >= size - t->len)
		size *= 2;
	if (size != t->size)
		t->data = mem_resize(t->data, size, 1);
	t->cap = t->size = size;
	if (!t->bound || size <= t->bound)
		return;
	t->is_full |= more > t->bound - t->len;
	if (!t->is_full)
		t->cap = t->bound + 1;
}

bool text_grow(struct text *t, size_t more)
{
	if (t->bound && (t->is_full || more > t->bound - t->len)) {
		t->is_full = true;
		t->cap = t->len + 1;	/* nor is there room for less: no hole in the text */
		return false;
	}
	text_extend(t, more);
	return true;
}

/* What there is room for. */
void text_fill(struct text *t, const char *s, size_t len)
{
	size_t room = t->bound > t->len ? t->bound - t->len : 0;

	len = len < room ? len : room;
	text_extend(t, len);
	memcpy(t->data + t->len, s, len);
	t->len += len;
	t->data[t->len] = '\0';
	t->cap = t->len + 1;
}

/* Bytes of a character that is cut at the end; 0: it is whole. */
static size_t broken_end(const struct text *t)
{
	uint32_t cp;

	for (size_t n = 1; n < 4 && n <= t->len; n++) {
		unsigned char c = (unsigned char)t->data[t->len - n];

		if (c >= 0xc0)
			return text_decode(t->data + t->len - n, n, &cp) == n ? 0 : n;
		if (c < 0x80)
			break;
	}
	return 0;
}

bool text_end_full(struct text *t)
{
	if (t->len > t->bound)
		t->len = t->bound;
	t->len -= broken_end(t);
	t->bound = 0;
	t->cap = t->size;
	t->is_full = false;
	text_add(t, "…");
	return true;
}

void text_cut(struct text *t, size_t len)
{
	t->len = len;
	if (t->data)
		t->data[len] = '\0';
	t->is_full = false;
	t->cap = t->bound && t->size > t->bound ? t->bound + 1 : t->size;
}

void text_pad(struct text *t, size_t nr)
{
	if (!text_has_room(t, nr))
		return;
	memset(t->data + t->len, ' ', nr);
	t->len += nr;
	t->data[t->len] = '\0';
}

void text_bars(struct text *t, const uint64_t *counts, unsigned int nr)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	uint64_t most = 1;

	for (unsigned int i = 0; i < nr; i++)
		most = counts[i] > most ? counts[i] : most;
	for (unsigned int i = 0; i < nr; i++)
		text_add(t, counts[i] ? bars[(int)((double)counts[i] / (double)most * 7)] : " ");
}

void text_bar(struct text *t, double part, unsigned int cells)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned int n = (unsigned int)(part * cells * 8 + 0.5);

	for (unsigned int i = 0; i < n / 8; i++)
		text_add(t, "█");
	text_add(t, eighths[n % 8]);
}

void text_u64(struct text *t, uint64_t v)
{
	char buf[20], *p = buf + sizeof(buf);

	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	text_bytes(t, p, buf + sizeof(buf) - p);
}

void text_i64(struct text *t, int64_t v)
{
	if (v < 0)
		text_char(t, '-');
	text_u64(t, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (!text_has_room(t, 0))
		return;
	va_start(ap, fmt);
	len = vsnprintf(t->data + t->len, t->cap - t->len, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	if ((size_t)len >= t->cap - t->len) {
		if (!text_has_room(t, len)) {
			t->data[t->len] = '\0';
			return;
		}
		va_start(ap, fmt);
		vsnprintf(t->data + t->len, t->cap - t->len, fmt, ap);
		va_end(ap);
	}
	t->len += len;
}

char text_duration_mark(uint64_t duration_ns)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' },    { 100000, '!' },    { 10000, '+' },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (duration_ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

char text_delay_mark(uint64_t delay_ns)
{
	return text_duration_mark((delay_ns + 500) / 1000 * 1000);
}

void text_duration(struct text *t, uint64_t duration_ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "µs", 1000 }, { "ms", 1000000 }, { "s ", 1000000000 } };
	size_t u = 0;
	uint64_t scaled;
	int decimals;

	if (duration_ns < 1000) {
		text_printf(t, "%5" PRIu64 " ns", duration_ns);
		return;
	}
	/*
	 * Choose the unit in which four digits hold the value; rounding may carry into the next
	 * one.
	 */
	while (u < 2 && duration_ns >= 1000 * units[u].ns - units[u].ns / 20)
		u++;
	for (decimals = 3; decimals > 0; decimals--) {
		uint64_t steps = decimals == 3 ? 1000 : decimals == 2 ? 100 : 10;

		scaled = (duration_ns * steps + units[u].ns / 2) / units[u].ns;
		if (duration_ns < UINT64_MAX / 1000 && scaled < 10000) {
			text_printf(t, "%" PRIu64 ".%0*" PRIu64 " %s", scaled / steps, decimals,
				    scaled % steps, units[u].unit);
			return;
		}
	}
	text_printf(t, "%5" PRIu64 " %s",
		    duration_ns / units[u].ns + (duration_ns % units[u].ns >= units[u].ns / 2),
		    units[u].unit);
}

void text_fraction(struct text *t, uint32_t v, int digits)
{
	char buf[17];	/* in 16, gcc 12 warns of text_copy()'s branch for more than 16 bytes */

	buf[0] = '.';
	for (int i = digits; i; i--, v /= 10)
		buf[i] = (char)('0' + v % 10);
	text_bytes(t, buf, (size_t)digits + 1);
}

void text_trimmed(struct text *t, const struct text *cell)
{
	size_t from = strspn(text_str(cell), " "), end = cell->len;

	while (end > from && cell->data[end - 1] == ' ')
		end--;
	text_bytes(t, text_str(cell) + from, end - from);
}

const char *text_error_name(int64_t returned)
{
#ifdef HAVE_STRERRORNAME_NP
	if (returned < 0 && returned >= -4095)
		return strerrorname_np((int)-returned);
#else
	(void)returned;
#endif
	return NULL;
}

const char *text_signal_name(int number)
{
	static const char *const names[] = {
		[SIGHUP] = "SIGHUP", [SIGINT] = "SIGINT", [SIGQUIT] = "SIGQUIT",
		[SIGILL] = "SIGILL", [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT",
		[SIGBUS] = "SIGBUS", [SIGFPE] = "SIGFPE", [SIGKILL] = "SIGKILL",
		[SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
		[SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
		[SIGCHLD] = "SIGCHLD", [SIGCONT] = "SIGCONT", [SIGSTOP] = "SIGSTOP",
		[SIGTSTP] = "SIGTSTP", [SIGTTIN] = "SIGTTIN", [SIGTTOU] = "SIGTTOU",
		[SIGURG] = "SIGURG", [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ",
		[SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF", [SIGWINCH] = "SIGWINCH",
		[SIGPOLL] = "SIGPOLL", [SIGPWR] = "SIGPWR", [SIGSYS] = "SIGSYS",
#ifdef SIGSTKFLT
		[SIGSTKFLT] = "SIGSTKFLT",
#endif
	};
	const int nr = sizeof(names) / sizeof(names[0]);

	return number > 0 && number < nr && names[number] ? names[number] : "SIG?";
}

void text_seconds(struct text *t, int64_t ts_ns, int decimals)
{
	uint64_t ns = ts_ns < 0 ? -(uint64_t)ts_ns : (uint64_t)ts_ns;

	if (ts_ns < 0)
		text_char(t, '-');
	if (decimals == 9) {
		text_u64(t, ns / 1000000000);
		text_fraction(t, (uint32_t)(ns % 1000000000), 9);
	} else {
		uint64_t us = ns / 1000 + (ns % 1000 >= 500);

		text_u64(t, us / 1000000);
		text_fraction(t, (uint32_t)(us % 1000000), 6);
	}
}

void text_count(struct text *t, uint64_t v)
{
	char buf[32], *p = buf + sizeof(buf);
	int digits = 0;

	do {
		if (digits && digits % 3 == 0)
			*--p = ' ';
		*--p = '0' + v % 10;
		v /= 10;
		digits++;
	} while (v);
	text_bytes(t, p, buf + sizeof(buf) - p);
}

void text_counted(struct text *t, uint64_t nr, const char *what)
{
	text_count(t, nr);
	text_printf(t, " %s%s", what, PLURAL(nr));
}

size_t text_decode(const char *s, size_t len, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t min, c;
	size_t n;

	*cp = 0xfffd;
	if (!len)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0) {
		n = 2;
		c = p[0] & 0x1f;
		min = 0x80;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		n = 3;
		c = p[0] & 0x0f;
		min = 0x800;
	} else if (p[0] >= 0xf0 && p[0] < 0xf5) {
		n = 4;
		c = p[0] & 0x07;
		min = 0x10000;
	} else {
		return 1;
	}
	if (n > len)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 1;
	*cp = c;
	return n;
}

static locale_t utf8_locale;

static void utf8_locale_init(void)
{
	utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The C library's own table of widths, whatever the program's locale. */
static int libc_width(uint32_t cp)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t old;
	int width;

	pthread_once(&once, utf8_locale_init);
	if (!utf8_locale)
		return 1;
	old = uselocale(utf8_locale);
	width = wcwidth((wchar_t)cp);
	uselocale(old);
	return width;
}

int text_width(uint32_t cp)
{
	int width;

	if (cp < 0x300)
		return cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) && cp != 0xad ? 1 : 0;
	width = libc_width(cp);
	return width < 0 ? 0 : width;
}

size_t text_prefix_by(const char *s, size_t len, int cells, int *used, int (*width)(uint32_t cp))
{
	size_t pos = 0;
	int taken = 0;

	while (pos < len) {
		uint32_t cp;
		size_t n = text_decode(s + pos, len - pos, &cp);
		int w = width(cp);

		if (taken + w > cells)
			break;
		taken += w;
		pos += n;
	}
	if (used)
		*used = taken;
	return pos;
}

size_t text_prefix(const char *s, size_t len, int cells, int *used)
{
	return text_prefix_by(s, len, cells, used, text_width);
}

void text_excerpt(struct text *t, const char *s, size_t len, int cells)
{
	int used;
	size_t n = text_prefix(s, len, cells, &used);

	text_bytes(t, s, n);
	if (n < len)
		text_add(t, "…");
}

int text_cells(const char *s, size_t len)
{
	int used;

	text_prefix(s, len, INT_MAX / 2, &used);
	return used;
}

/* Valid characters that would move, hide or reverse their neighbours. */
static bool is_layout(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0x061c ||
	       (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe0fff) || cp == 0xad;
}

static void add_escape(struct text *t, uint32_t cp)
{
	switch (cp) {
	case '\n':
		text_add(t, "\\n");
		break;
	case '\t':
		text_add(t, "\\t");
		break;
	case '\r':
		text_add(t, "\\r");
		break;
	case 0x1b:
		text_add(t, "\\e");
		break;
	default:
		text_printf(t, cp < 0x100 ? "\\x%02x" : cp < 0x10000 ? "\\u%04x" : "\\U%08x", cp);
	}
}

void text_printable(struct text *t, const char *s, size_t len)
{
	while (len) {
		uint32_t cp;
		size_t n, run = 0;

		while (run < len && s[run] >= 0x20 && s[run] < 0x7f)
			run++;
		if (run) {
			text_bytes(t, s, run);
			s += run;
			len -= run;
			continue;
		}
		n = text_decode(s, len, &cp);
		if (cp == 0xfffd && n == 1)
			add_escape(t, (unsigned char)*s);
		else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || is_layout(cp) ||
			 (cp > 0x7f && libc_width(cp) < 0))
			add_escape(t, cp);
		else
			text_bytes(t, s, n);
		s += n;
		len -= n;
	}
}

void text_terminal(struct text *t, const char *s, size_t len, bool newlines)
{
	size_t column = 0;

	while (len) {
		size_t n = 0;

		while (n < len && s[n] != '\t' && !(newlines && s[n] == '\n'))
			n++;
		text_printable(t, s, n);
		column += n;
		if (n < len && s[n] == '\n') {
			text_char(t, '\n');
			column = 0;
			n++;
		} else if (n < len) {
			text_pad(t, 8 - column % 8);
			column += 8 - column % 8;
			n++;
		}
		s += n;
		len -= n;
	}
}

static void add_utf8(struct text *t, const char *s, size_t n, uint32_t cp)
{
	if (cp == 0xfffd && n == 1)
		text_add(t, "\xef\xbf\xbd");
	else
		text_bytes(t, s, n);
}

static void add_json_escape(struct text *t, uint32_t cp)
{
	if (cp < 0x10000)
		text_printf(t, "\\u%04x", cp);
	else
		text_printf(t, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
			    0xdc00 + ((cp - 0x10000) & 0x3ff));
}

void text_json(struct text *t, const char *s, size_t len)
{
	while (len) {
		uint32_t cp;
		size_t n, run = 0;

		while (run < len && s[run] >= 0x20 && s[run] < 0x7f && s[run] != '"' &&
		       s[run] != '\\')
			run++;
		text_bytes(t, s, run);
		s += run;
		len -= run;
		n = text_decode(s, len, &cp);
		if (!n)
			return;
		if (cp == '"' || cp == '\\')
			text_printf(t, "\\%c", (int)cp);
		else if (cp == '\n')
			text_add(t, "\\n");
		else if (cp == '\t')
			text_add(t, "\\t");
		else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || is_layout(cp))
			add_json_escape(t, cp);
		else
			add_utf8(t, s, n, cp);
		s += n;
		len -= n;
	}
}

void text_utf8(struct text *t, const char *s, size_t len)
{
	while (len) {
		size_t n = 0;
		uint32_t cp;

		while (n < len && (unsigned char)s[n] < 0x80)
			n++;
		if (n) {
			text_bytes(t, s, n);
		} else {
			n = text_decode(s, len, &cp);
			add_utf8(t, s, n, cp);
		}
		s += n;
		len -= n;
	}
}

enum { CSV_QUOTED = 1, CSV_UTF8 = 2 };	/* what a field with this byte needs */

/* Most fields need no escape, so first only look each byte up in a table. */
static unsigned int csv_needs(const char *s, size_t len)
{
	static const uint8_t needs[256] = { ['"'] = CSV_QUOTED,	 [','] = CSV_QUOTED,
					    ['\n'] = CSV_QUOTED, ['\r'] = CSV_QUOTED,
					    [0x80 ... 0xff] = CSV_UTF8 };
	unsigned int all = 0;

	for (size_t i = 0; i < len; i++)
		all |= needs[(unsigned char)s[i]];
	return all;
}

void text_csv(struct text *t, const char *s, size_t len)
{
	unsigned int needs = csv_needs(s, len);

	if (!needs) {
		text_bytes(t, s, len);
		return;
	}
	text_add(t, needs & CSV_QUOTED ? "\"" : "");
	while (len) {
		const char *quote = memchr(s, '"', len);
		size_t n = quote ? (size_t)(quote - s) + 1 : len;

		text_utf8(t, s, n);
		text_add(t, quote ? "\"" : "");
		s += n;
		len -= n;
	}
	text_add(t, needs & CSV_QUOTED ? "\"" : "");
}

/*
 * Where to cut a line that is wider than @cells: at the last blank that fits, else at the first
 * blank; its length if it has none.
 */
static size_t fold_at(const char *line, size_t len, int cells)
{
	size_t fits = text_prefix(line, len, cells, NULL), cut = 0;

	for (size_t i = 1; i < len && (i <= fits || !cut); i++)
		if (line[i] == ' ' && line[i - 1] != ' ' &&
		    (i + 1 == len || line[i + 1] < '0' || line[i + 1] > '9'))
			cut = i;
	return fits < len && cut ? cut : len;
}

void text_fold(struct text *t, const char *lines, int cells, int indent)
{
	while (*lines) {
		const char *line = lines;
		size_t len = strcspn(line, "\n"),
		       cut = *line == ' ' ? len : fold_at(line, len, cells);

		lines += len;
		text_bytes(t, line, cut);
		while (cut < len) {
			line += cut;
			len -= cut;
			while (len && *line == ' ') {
				line++;
				len--;
			}
			text_char(t, '\n');
			text_pad(t, (size_t)indent);
			cut = fold_at(line, len, cells - indent);
			text_bytes(t, line, cut);
		}
		if (*lines) {
			text_char(t, '\n');
			lines++;
		}
	}
}

/* The glyphs of the text commands.  On the screen, the canvas replaces glyphs. */
static char ascii_glyph(uint32_t cp)
{
	static const struct {
		uint32_t cp;
		char	 ascii;
	} glyphs[] = { { 0xb5, 'u' },	{ 0xb7, '.' },	 { 0xd7, 'x' },	  { 0x2013, '-' },
		       { 0x2026, '~' }, { 0x2190, '<' }, { 0x2192, '>' }, { 0x2212, '-' },
		       { 0x2588, '#' }, { 0x2589, '#' }, { 0x258a, '=' }, { 0x258b, '=' },
		       { 0x258c, '-' }, { 0x258d, ':' }, { 0x258e, ':' }, { 0x258f, '.' } };

	for (size_t i = 0; i < sizeof(glyphs) / sizeof(glyphs[0]); i++)
		if (glyphs[i].cp == cp)
			return glyphs[i].ascii;
	return '?';
}

void text_to_ascii(struct text *t, size_t start)
{
	size_t to = start;

	for (size_t at = start; at < t->len;) {
		uint32_t cp;
		size_t len = text_decode(t->data + at, t->len - at, &cp);

		t->data[to++] = cp < 0x80 ? (char)cp : ascii_glyph(cp);
		at += len;
	}
	if (t->data)
		t->data[to] = '\0';
	t->len = to;
}

bool text_take_number(const char **p, const char *end, int *number)
{
	const char *s = *p;
	int64_t v = 0;

	while (s < end && *s == ' ')
		s++;
	*p = s;
	while (s < end && *s >= '0' && *s <= '9' && v <= INT32_MAX)
		v = v * 10 + (*s++ - '0');
	if (s == *p || v > INT32_MAX)
		return false;
	*p = s;
	*number = (int)v;
	return true;
}

bool text_take_i64(const char **p, const char *end, int64_t *number)
{
	const char *s = *p, *digits;
	bool minus, fits = true;
	int64_t v = 0;

	while (s < end && *s == ' ')
		s++;
	minus = s < end && *s == '-';
	s += minus;
	for (digits = s; s < end && *s >= '0' && *s <= '9'; s++)
		fits &= !__builtin_mul_overflow(v, 10, &v) &&
			!__builtin_sub_overflow(v, *s - '0', &v);
	if (s == digits || !fits || (!minus && v == INT64_MIN))
		return false;
	*p = s;
	*number = minus ? v : -v;
	return true;
}
