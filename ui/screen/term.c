/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/term.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include "src/base/inside.h"
#include "src/base/memory.h"

#define MAX_COPY_BYTES	74994		/* what xterm and screen take at most, before base64 */

#define MAX_SEQUENCE	64		/* bytes between ESC [ and the one that ends it */
#define SEQUENCE_MS	50		/* longest wait for the rest of a sequence */

/*
 * Presses, movement while a button is down, and reports as numbers (SGR): these reach beyond column
 * 223, and terminals send them whatever their terminfo entry says.
 */
#define MOUSE_ON	"\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF	"\033[?1006l\033[?1002l\033[?1000l"
#define DOUBLE_NS	300000000	/* ns between the presses of a double click, at most */

/*
 * OSC 11 asks for the background. All terminals answer the second question (DA1), so its answer
 * ends the wait where there is none to the first.
 */
#define ASK_BACKGROUND	"\033]11;?\a\033[c"
#define ASK_MS		100		/* longest wait for both answers */
#define ANSWER_MS	500		/* longest wait for the rest of an answer */
#define MAX_TYPED	64		/* keys typed meanwhile */

struct ui_term {
	SCREEN			*screen;
	const struct theme	*theme;		/* borrowed */
	enum theme_depth	 depth;
	int			 colours;	/* number that curses has */
	bool			 ascii;
	bool			 is_console;
	bool			 mouse;
	bool			 had_mouse;	/* before the terminal was left */
	bool			 button_down;
	int64_t			 pressed_at;	/* monotonic ns, and where: */
	int			 pressed_row, pressed_col;
	bool			 all;		/* the next draw sends everything */
	enum background		 background;
	bool			 asked;		/* the background; no answer yet */
	bool			 answered;	/* DA1 */
	struct {
		ui_key		 key;
		struct ui_mouse	 mouse;
	} typed[MAX_TYPED];			/* while the terminal was asked */
	unsigned int		 nr_typed, next_typed;
	struct canvas		 shown;		/* what curses was given last */
};

/* State for the crash handler, prepared in advance: a handler cannot allocate. */
static struct {
	volatile sig_atomic_t	armed;
	struct termios		saved;
	char			reset[512];
	size_t			reset_len;
	struct sigaction	old[8];
} crash;

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
#define NR_CRASH_SIGNALS (sizeof(crash_signals) / sizeof(crash_signals[0]))

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void write_all(const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		s += n;
		len -= n;
	}
}

static void on_crash(int sig)
{
	static const char words[] = "ftop-trace: crashed; the terminal was restored\r\n";

	if (crash.armed) {
		crash.armed = 0;
		write_all(crash.reset, crash.reset_len);
		tcsetattr(STDIN_FILENO, TCSADRAIN, &crash.saved);
		write_all(words, sizeof(words) - 1);
	}
	for (size_t i = 0; i < NR_CRASH_SIGNALS; i++)
		if (crash_signals[i] == sig)
			sigaction(sig, &crash.old[i], NULL);
	raise(sig); /* pending till we return: then the
					   former handler, or the core dump */
}

void term_abandon(int number)
{
	static const char words[] = "ftop-trace: ended while it was busy\r\n";
	sigset_t set;

	crash.armed = 0;
	write_all(crash.reset, crash.reset_len);
	tcsetattr(STDIN_FILENO, TCSANOW, &crash.saved);
	write_all(words, sizeof(words) - 1);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

bool term_set_interrupts(bool on)
{
	struct termios modes;

	if (!crash.armed || tcgetattr(STDIN_FILENO, &modes))
		return false;
	modes.c_cc[VINTR] = on ? 'C' & 0x1f : _POSIX_VDISABLE;
	modes.c_lflag = on ? modes.c_lflag | NOFLSH : modes.c_lflag & ~(tcflag_t)NOFLSH;
	return !tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

static void add_reset(const char *s)
{
	size_t len = s && s != (char *)-1 ? strlen(s) : 0;

	if (len && len < sizeof(crash.reset) - crash.reset_len) {
		memcpy(crash.reset + crash.reset_len, s, len);
		crash.reset_len += len;
	}
}

static void arm_crash(void)
{
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = 64 * 1024 };

	crash.reset_len = 0;
	add_reset(MOUSE_OFF);
	add_reset(tigetstr("sgr0"));
	add_reset(tigetstr("cnorm"));
	add_reset(tigetstr("rmkx"));
	add_reset(tigetstr("rmcup"));
	stack.ss_sp = mem_alloc(stack.ss_size);		/* lives as long as the process */
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < NR_CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &action, &crash.old[i]);
	crash.armed = 1;
}

static void disarm_crash(void)
{
	stack_t none = { .ss_flags = SS_DISABLE }, old;

	if (!crash.armed)
		return;
	crash.armed = 0;
	for (size_t i = 0; i < NR_CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &crash.old[i], NULL);
	if (!sigaltstack(&none, &old))
		free(old.ss_sp);
}

/* --- what the terminal can do -------------------------------------------- */

static bool wants_rgb(void)
{
	const char *v = getenv("COLORTERM");

	return v && (!strcmp(v, "truecolor") || !strcmp(v, "24bit"));
}

/* Sets up a terminal by its terminfo entry, or by one that is inside the program. */
static bool set_up(const char *name)
{
	struct text file = { 0 };
	const char *entry;
	int status;
	size_t len;

	if (setupterm(name, STDOUT_FILENO, &status) == OK)
		return true;
	text_printf(&file, "terminfo/%s", name);
	entry = inside_find(text_str(&file), &len);
	text_fini(&file);
	return entry && !setenv("TERMINFO", entry, 1) &&
	       setupterm(name, STDOUT_FILENO, &status) == OK;
}

/* Uses the terminfo entry with direct colours if the terminal has them and the entry exists. */
static SCREEN *open_screen(const char *name, bool rgb)
{
	struct text direct = { 0 };
	SCREEN *screen = NULL;

	if (rgb && wants_rgb() && !strstr(name, "-direct")) {
		text_printf(&direct, "%.*s-direct", (int)strcspn(name, "-"), name);
		if (set_up(direct.data)) {
			del_curterm(cur_term);
			screen = newterm(direct.data, stdout, stdin);
		}
		text_fini(&direct);
	}
	return screen ? screen : newterm(name, stdout, stdin);
}

static enum theme_depth find_depth(const struct ui_term *term, int wanted)
{
	enum theme_depth depth = THEME_MONO;

	if (has_colors() && start_color() == OK) {
		use_default_colors();
		if (tigetflag("RGB") > 0 && COLORS >= 1 << 24)
			depth = THEME_RGB;
		else if (COLORS >= 256)
			depth = THEME_256;
		else if (COLORS >= 8)
			depth = THEME_16;
	}
	(void)term;
	return wanted >= 0 && (enum theme_depth)wanted < depth ? (enum theme_depth)wanted : depth;
}

static void set_modes(void)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	typeahead(-1);		/* finish each draw even if keys wait: no other may follow */
	curs_set(0);
	/* Ctrl-C, Ctrl-Z and Ctrl-V are keys here; Ctrl-\ still sends SIGQUIT. */
	if (!tcgetattr(STDIN_FILENO, &modes)) {
		modes.c_cc[VINTR] = modes.c_cc[VSUSP] = modes.c_cc[VLNEXT] = _POSIX_VDISABLE;
		modes.c_cc[VDISCARD] = _POSIX_VDISABLE;
		tcsetattr(STDIN_FILENO, TCSANOW, &modes);
		def_prog_mode();
	}
}

void term_close(struct ui_term *term)
{
	if (!term)
		return;
	term_set_mouse(term, false);
	curs_set(1);
	endwin();
	if (term->asked && !term->answered)	/* an answer on its way is not for the shell */
		tcflush(STDIN_FILENO, TCIFLUSH);
	disarm_crash();
	delscreen(term->screen);
	canvas_fini(&term->shown);
	free(term);
}

enum theme_depth term_depth(const struct ui_term *term)
{
	return term->depth;
}

enum background term_background(const struct ui_term *term)
{
	return term->background;
}

bool term_ascii(const struct ui_term *term)
{
	return term->ascii;
}

bool term_is_console(const struct ui_term *term)
{
	return term->is_console;
}

void term_set_theme(struct ui_term *term, const struct theme *theme)
{
	term->theme = theme;
	term->all = true;
}

void term_size(const struct ui_term *term, int *rows, int *cols)
{
	(void)term;
	*rows = LINES;
	*cols = COLS;
}

bool term_resized(struct ui_term *term)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return false;
	if (size.ws_row == LINES && size.ws_col == COLS)
		return false;
	resizeterm(size.ws_row, size.ws_col);
	term->all = true;
	return true;
}

void term_set_mouse(struct ui_term *term, bool on)
{
	const char *kmous = tigetstr("kmous");

	if (on == term->mouse || !kmous || kmous == (char *)-1)
		return;
	term->mouse = on;
	define_key(kmous, 0);	/* curses leaves its reports to mouse_report() */
	fflush(stdout);
	write_all(on ? MOUSE_ON : MOUSE_OFF, strlen(MOUSE_ON));
}

/* --- keys ---------------------------------------------------------------- */

static const struct {
	int	curses;
	ui_key	key;
} curses_keys[] = {
	{ KEY_UP, UI_KEY_UP },
	{ KEY_DOWN, UI_KEY_DOWN },
	{ KEY_LEFT, UI_KEY_LEFT },
	{ KEY_RIGHT, UI_KEY_RIGHT },
	{ KEY_PPAGE, UI_KEY_PAGE_UP },
	{ KEY_NPAGE, UI_KEY_PAGE_DOWN },
	{ KEY_HOME, UI_KEY_HOME },
	{ KEY_FIND, UI_KEY_HOME },
	{ KEY_END, UI_KEY_END },
	{ KEY_SELECT, UI_KEY_END },
	{ KEY_BACKSPACE, UI_KEY_BACKSPACE },
	{ KEY_DC, UI_KEY_DELETE },
	{ KEY_BTAB, UI_KEY_SHIFT_TAB },
	{ KEY_ENTER, UI_KEY_ENTER },
	{ KEY_RESIZE, UI_KEY_RESIZE },
};

int term_fd(const struct ui_term *term)
{
	(void)term;
	return STDIN_FILENO;
}

/* The next character of a sequence, which may come in pieces; false: nothing came. */
static bool next_of_sequence(wint_t *c, int ms)
{
	struct pollfd more = { .fd = STDIN_FILENO, .events = POLLIN };
	int result = get_wch(c);

	if (result == ERR && poll(&more, 1, ms) > 0)
		result = get_wch(c);
	if (result == KEY_CODE_YES)
		ungetch((int)*c);
	return result == OK;
}

/* A press is a double click if one at the same place came just before. */
static enum ui_mouse_kind press_kind(struct ui_term *term, const struct ui_mouse *mouse)
{
	int64_t now = now_ns();
	bool twice = now - term->pressed_at < DOUBLE_NS && term->pressed_row == mouse->row &&
		     term->pressed_col == mouse->col;

	term->pressed_at = twice ? 0 : now;
	term->pressed_row = mouse->row;
	term->pressed_col = mouse->col;
	return twice ? UI_MOUSE_DOUBLE : UI_MOUSE_PRESS;
}

/* What a report means; false: nothing to us. */
static bool mouse_report(struct ui_term *term, struct ui_mouse *mouse, unsigned int button,
			 bool released)
{
	bool was_down = term->button_down;

	mouse->ctrl = button & 16;
	button &= ~(4u | 8 | 16);	/* Shift, Meta, Ctrl */
	if (button == 64 || button == 65) {
		mouse->kind = button == 64 ? UI_MOUSE_WHEEL_UP : UI_MOUSE_WHEEL_DOWN;
		return true;
	}
	if (button & 32) {
		mouse->kind = UI_MOUSE_DRAG;
		return was_down;
	}
	if (button != 0 && button != 3)
		return false;
	term->button_down = !released && button == 0;
	mouse->kind = term->button_down ? press_kind(term, mouse) : UI_MOUSE_RELEASE;
	return term->button_down || was_down;
}

/* "<0;12;7M": a press or, with m, a release at a column and a row. */
static bool sgr_report(struct ui_term *term, struct ui_mouse *mouse, const char *s)
{
	unsigned int button;
	char end;

	if (sscanf(s, "<%5u;%5d;%5d%c", &button, &mouse->col, &mouse->row, &end) != 4 ||
	    (end != 'M' && end != 'm'))
		return false;
	mouse->col--;
	mouse->row--;
	return mouse_report(term, mouse, button, end == 'm');
}

/* Terminals that cannot report numbers send three bytes after "ESC [ M". */
static bool byte_report(struct ui_term *term, struct ui_mouse *mouse)
{
	int bytes[3];

	for (int i = 0; i < 3; i++) {
		struct pollfd more = { .fd = STDIN_FILENO, .events = POLLIN };

		bytes[i] = getch();
		if (bytes[i] == ERR && poll(&more, 1, SEQUENCE_MS) > 0)
			bytes[i] = getch();
		if (bytes[i] < 32 || bytes[i] > 255)
			return false;
	}
	mouse->col = bytes[1] - 33;
	mouse->row = bytes[2] - 33;
	return mouse_report(term, mouse, (unsigned int)bytes[0] - 32, false);
}

/*
 * After "Esc ]": the answer about the background, which BEL or Esc and a backslash ends.  False:
 * these were keys.
 */
static bool read_answer(struct ui_term *term)
{
	char s[MAX_SEQUENCE + 1] = "";
	size_t nr = 0;
	wint_t c;

	if (!term->asked || !next_of_sequence(&c, SEQUENCE_MS))
		return false;
	if (c != '1') {
		unget_wch((wchar_t)c);
		return false;
	}
	do {
		if (nr < MAX_SEQUENCE)
			s[nr++] = c < 0x7f ? (char)c : '?';
	} while (next_of_sequence(&c, ANSWER_MS) && c >= 0x20);
	if (c == UI_KEY_ESC)
		next_of_sequence(&c, ANSWER_MS);
	term->asked = false;
	if (background_of_answer(s) != BACKGROUND_UNKNOWN)
		term->background = background_of_answer(s);
	return true;
}

/*
 * After an Esc: true if it began a sequence that curses does not know; consumes all of it.  *key:
 * UI_KEY_MOUSE if the mouse sent it.
 */
static bool read_sequence(struct ui_term *term, struct ui_mouse *mouse, ui_key *key)
{
	char s[MAX_SEQUENCE + 2] = "";
	int result, nr = 0;
	wint_t c;

	result = get_wch(&c);
	if (result == KEY_CODE_YES)
		ungetch((int)c);
	if (result != OK)
		return false;
	if (c == ']' && read_answer(term))
		return true;
	if (c != '[' && c != 'O') {
		unget_wch((wchar_t)c);
		return false;
	}
	do {			/* parameters, then the byte that ends it */
		if (!next_of_sequence(&c, SEQUENCE_MS))
			return true;
		if (c < 0x20) {	/* incomplete sequence: this is a key */
			unget_wch((wchar_t)c);
			return true;
		}
		s[nr++] = c < 0x7f ? (char)c : '?';
	} while (c < 0x40 && nr < MAX_SEQUENCE);
	term->answered |= s[0] == '?' && s[nr - 1] == 'c';
	if (!strcmp(s, "M") ? byte_report(term, mouse) : sgr_report(term, mouse, s))
		*key = UI_KEY_MOUSE;
	return true;
}

static ui_key read_key(struct ui_term *term, struct ui_mouse *mouse)
{
	ui_key key = UI_KEY_NONE;
	wint_t c;
	int result = get_wch(&c);

	if (result == ERR)
		return UI_KEY_NONE;
	if (result == OK) {
		if (c == UI_KEY_ESC && read_sequence(term, mouse, &key))
			return key == UI_KEY_NONE ? read_key(term, mouse) : key;
		if (c == 127 || c == 8)
			return UI_KEY_BACKSPACE;
		return c == '\n' ? UI_KEY_ENTER : (ui_key)c;
	}
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(curses_keys[0]); i++)
		if ((wint_t)curses_keys[i].curses == c)
			return curses_keys[i].key;
	if (c > KEY_F0 && c <= KEY_F(63))
		return UI_KEY_F0 + (c - KEY_F0);
	return read_key(term, mouse);		/* a reply that no code requested */
}

ui_key term_key(struct ui_term *term, struct ui_mouse *mouse)
{
	if (term->next_typed == term->nr_typed)
		return read_key(term, mouse);
	*mouse = term->typed[term->next_typed].mouse;
	return term->typed[term->next_typed++].key;
}

/* --- opening ------------------------------------------------------------ */

/* Waits shortly for the answer, and keeps the keys that come meanwhile. */
static void ask_background(struct ui_term *term)
{
	int64_t end = now_ns() + ASK_MS * 1000000LL;

	term->asked = true;
	fflush(stdout);
	write_all(ASK_BACKGROUND, strlen(ASK_BACKGROUND));
	while (!term->answered && term->nr_typed < MAX_TYPED) {
		struct pollfd answer = { .fd = STDIN_FILENO, .events = POLLIN };
		int64_t left = (end - now_ns()) / 1000000;
		struct ui_mouse mouse = { 0 };
		ui_key key;

		if (left <= 0 || poll(&answer, 1, (int)left) <= 0)
			break;
		key = read_key(term, &mouse);
		if (key == UI_KEY_NONE)
			continue;
		term->typed[term->nr_typed].key = key;
		term->typed[term->nr_typed++].mouse = mouse;
	}
}

struct ui_term *term_open(const struct term_options *options, struct ft_error *err)
{
	const char *name = getenv("TERM");
	struct ui_term *term;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "browsing needs a terminal; for text, use %s", options->instead);
		return NULL;
	}
	if (!name || !*name || !strcmp(name, "dumb")) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "the terminal '%.40s' (TERM) cannot show a screen; for text, use %s",
			     name ? name : "", options->instead);
		return NULL;
	}
	if (!set_up(name)) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "the terminal '%.40s' (TERM) has no terminfo entry here; try "
			     "TERM=xterm-256color; for text, use ftop-trace report",
			     name);
		return NULL;
	}
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1,
			     "the terminal '%.40s' (TERM) cannot move its cursor; for text, use "
			     "ftop-trace report",
			     name);
		return NULL;
	}
	tcgetattr(STDIN_FILENO, &crash.saved);
	del_curterm(cur_term);
	set_escdelay(50);
	term = mem_alloc(sizeof(*term));
	term->screen = open_screen(name, options->depth < 0 || options->depth >= THEME_RGB);
	if (!term->screen) {
		ft_error_set(err, FT_E_UNSUPPORTED, -1, "the terminal '%.40s' could not be set up",
			     name);
		free(term);
		return NULL;
	}
	set_term(term->screen);
	arm_crash();
	set_modes();
	term->depth = find_depth(term, options->depth);
	term->is_console = !strncmp(name, "linux", 5);
	term->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!options->no_mouse)
		term_set_mouse(term, true);
	canvas_init(&term->shown, LINES, COLS);
	term->all = true;
	term->background = background_of_variable(getenv("COLORFGBG"));
	if (options->ask_background && term->depth != THEME_MONO && !term->is_console)
		ask_background(term);
	return term;
}

/* --- drawing ------------------------------------------------------------- */

static int curses_colour(const struct ui_term *term, int32_t colour, attr_t *attributes,
			 bool foreground)
{
	if (colour < 0)
		return -1;
	if (term->depth == THEME_16 && COLORS < 16) {	/* eight colours: bright is bold */
		if (colour == 8) {	/* bold black is invisible on many terminals */
			*attributes |= foreground ? A_DIM : 0;
			return -1;
		}
		if (colour > 8 && foreground)
			*attributes |= A_BOLD;
		return colour & 7;
	}
	/* On direct-colour terminals 0..7 are the palette: near black is black there. */
	if (term->depth == THEME_RGB && colour > 0 && colour < 8)
		return 8;
	return colour;
}

static bool is_whole(const struct canvas_cell *cell)
{
	return cell->filled && (!strcmp(cell->glyph, "█") || !strcmp(cell->glyph, "#"));
}

/* Does the cursor, or another overlay with a background, show in place of the filling? */
static bool is_under(const struct ui_term *term, const struct canvas_cell *cell)
{
	const struct theme_style *over = &term->theme->styles[term->depth][cell->over];

	return cell->over != ROLE_TEXT &&
	       (over->bg != THEME_NO_COLOUR || over->attributes & THEME_REVERSE);
}

static struct theme_style style_of(const struct ui_term *term, const struct canvas_cell *cell)
{
	const struct theme_style *over = &term->theme->styles[term->depth][cell->over];
	bool whole = is_whole(cell) && (!term->ascii || term->depth != THEME_MONO);
	struct theme_style style;

	if (!cell->filled)
		return theme_style(term->theme, term->depth, cell->role, cell->over);
	if (!is_under(term, cell)) {
		style = theme_fill_style(term->theme, term->depth, cell->role, whole);
		style.attributes |= over->attributes & THEME_UNDERLINE;
		return style;
	}
	style = theme_style(term->theme, term->depth, cell->role, ROLE_TEXT);
	style.fg = over->fg != THEME_NO_COLOUR ? over->fg : style.fg;
	style.bg = over->bg != THEME_NO_COLOUR ? over->bg : style.bg;
	return style;
}

static bool is_plain(struct theme_style style)
{
	return style.bg == THEME_NO_COLOUR &&
	       !(style.attributes & (THEME_UNDERLINE | THEME_REVERSE));
}

/*
 * A blank shows no foreground colour, so it is drawn in the style of the text before it.  On a
 * slow line, two changes of colour cost twenty times as much as the blank.
 */
static struct theme_style style_at(const struct ui_term *term, const struct canvas *canvas, int row,
				   int col)
{
	struct theme_style style = style_of(term, canvas_at(canvas, row, col)), before;

	while (col && is_plain(style) && !strcmp(canvas_at(canvas, row, col)->glyph, " ")) {
		before = style_of(term, canvas_at(canvas, row, --col));
		if (!is_plain(before))
			break;
		style = before;
	}
	return style;
}

static void set_cell(const struct ui_term *term, const struct canvas_cell *cell,
		     struct theme_style style, cchar_t *out)
{
	static const struct { uint8_t theme; attr_t curses; } attribute_map[] = {
		{ THEME_BOLD, A_BOLD }, { THEME_UNDERLINE, A_UNDERLINE },
		{ THEME_REVERSE, A_REVERSE }, { THEME_DIM, A_DIM },
	};
	wchar_t wide[CCHARW_MAX + 1];
	attr_t attributes = 0;
	const char *glyph = is_whole(cell) && is_under(term, cell) ? " " : cell->glyph;
	size_t len = strlen(glyph), nr = 0;
	int fg, bg, pair = 0;

	for (size_t i = 0; i < sizeof(attribute_map) / sizeof(attribute_map[0]); i++)
		if (style.attributes & attribute_map[i].theme)
			attributes |= attribute_map[i].curses;
	fg = curses_colour(term, style.fg, &attributes, true);
	bg = curses_colour(term, style.bg, &attributes, false);
	if (term->depth != THEME_MONO && (fg != -1 || bg != -1)) {
		pair = alloc_pair(fg, bg);
		if (pair < 0)
			pair = 0;
	}
	for (size_t pos = 0; pos < len && nr < CCHARW_MAX;) {
		uint32_t cp;

		pos += text_decode(glyph + pos, len - pos, &cp);
		wide[nr++] = cp;
	}
	wide[nr] = L'\0';
	if (setcchar(out, wide, attributes, 0, &pair) != OK)
		setcchar(out, L"?", attributes, 0, &pair);
}

void term_redraw(struct ui_term *term)
{
	term->all = true;
	clearok(stdscr, TRUE);
}

void term_draw(struct ui_term *term, const struct canvas *canvas)
{
	bool all = term->all || canvas->rows != term->shown.rows ||
		   canvas->cols != term->shown.cols;

	if (all) {
		canvas_resize(&term->shown, canvas->rows, canvas->cols);
		erase();
	}
	for (int row = 0; row < canvas->rows && row < LINES; row++) {
		for (int col = 0; col < canvas->cols && col < COLS; col++) {
			const struct canvas_cell *cell = canvas_at(canvas, row, col);
			cchar_t out;

			if (cell->width == 0)
				continue;
			/* The cell after a wide character that was removed has changed too. */
			if (!all && !memcmp(cell, canvas_at(&term->shown, row, col), sizeof(*cell)))
				continue;
			set_cell(term, cell, style_at(term, canvas, row, col), &out);
			mvadd_wch(row, col, &out);
		}
	}
	memcpy(term->shown.cells, canvas->cells,
	       sizeof(*canvas->cells) * canvas->rows * canvas->cols);
	term->all = false;
	if (canvas->cursor_row >= 0) {
		curs_set(1);
		move(canvas->cursor_row, canvas->cursor_col);
	} else {
		curs_set(0);
	}
	refresh();
}

static void leave(struct ui_term *term)
{
	term->had_mouse = term->mouse;
	term_set_mouse(term, false);
	curs_set(1);
	endwin();
	crash.armed = 0;
}

void term_return(struct ui_term *term)
{
	struct timespec now = { 0, 0 };
	sigset_t interrupt;

	/* what was meant for the other program */
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	while (sigtimedwait(&interrupt, NULL, &now) > 0)
		;
	crash.armed = 1;
	reset_prog_mode();
	term_resized(term);
	term_set_mouse(term, term->had_mouse);
	term_redraw(term);
}

void term_leave(struct ui_term *term, const char *words)
{
	leave(term);
	printf("\n%s\n", words);
	fflush(stdout);
}

void term_suspend(struct ui_term *term)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, old;
	sigset_t stop, before;

	leave(term);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &standard, &old);
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	kill(getpid(), SIGTSTP);		/* stops here until SIGCONT */
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTSTP, &old, NULL);
	term_return(term);
}

bool term_copy(struct ui_term *term, const char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct text out = { 0 };

	(void)term;
	if (len > MAX_COPY_BYTES)
		return false;
	text_add(&out, "\033]52;c;");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)(uint8_t)s[i] << 16;

		v |= i + 1 < len ? (uint32_t)(uint8_t)s[i + 1] << 8 : 0;
		v |= i + 2 < len ? (uint8_t)s[i + 2] : 0;
		text_char(&out, digits[v >> 18]);
		text_char(&out, digits[v >> 12 & 63]);
		text_char(&out, i + 1 < len ? digits[v >> 6 & 63] : '=');
		text_char(&out, i + 2 < len ? digits[v & 63] : '=');
	}
	text_add(&out, "\a");
	write_all(out.data, out.len);
	text_fini(&out);
	return true;
}
