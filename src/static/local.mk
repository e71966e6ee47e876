# The program as one file: these instead of some functions of the libraries.  See README.md.
EXTRA_LIBRARIES += %D%/libstatic.a
%C%_libstatic_a_CPPFLAGS = $(AM_CPPFLAGS) -I. -DFTOP_DEMO='"$(abs_top_srcdir)/tests/demo/demo.dat"'
%C%_libstatic_a_SOURCES = \
	%D%/inside.c \
	%D%/libdw.c \
	%D%/locale.c %D%/widths.h \
	%D%/plugins.c \
	%D%/users.c \
	parsers/ctf/ctf_helper_none.c

# Terminals whose entries are inside, from the terminfo of this machine.
CLEANFILES += %D%/libstatic.a
terminal_names = linux screen tmux tmux-256color vt100 xterm xterm-256color
src/static/terminals.h: src/static/local.mk
	$(AM_V_GEN)$(MKDIR_P) src/static && { \
		echo 'static const struct { const char *name, *entry; } terminals[] = {'; \
		for name in $(terminal_names); do \
			entry=$$(infocmp -Q2 -x $$name) && \
			printf '{ "terminfo/%s", "%s" },\n' $$name "$$(echo "$$entry" | sed '/^#/d' | tr -d '\n')" || exit 1; \
		done; \
		echo '};'; } >$@.tmp && mv $@.tmp $@
CLEANFILES += src/static/terminals.h
nodist_%C%_libstatic_a_SOURCES = %D%/terminals.h
%D%/libstatic_a-inside.$(OBJEXT): src/static/terminals.h tests/demo/demo.dat
