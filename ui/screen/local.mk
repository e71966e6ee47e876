# The terminal, the canvas, keys, themes, prompts.  See README.md.
noinst_LIBRARIES += %D%/libscreen.a
%C%_libscreen_a_CPPFLAGS = $(AM_CPPFLAGS) -I.
%C%_libscreen_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
%C%_libscreen_a_SOURCES = \
	%D%/background.c %D%/background.h \
	%D%/canvas.c %D%/canvas.h \
	%D%/key.h \
	%D%/keymap.c %D%/keymap.h \
	%D%/list_window.c %D%/list_window.h \
	%D%/popup.c %D%/popup.h \
	%D%/prompt.c %D%/prompt.h \
	%D%/request.c %D%/request.h %D%/request_list.h \
	%D%/role_list.h \
	%D%/term.c %D%/term.h \
	%D%/theme.c %D%/theme.h

# The themes are installed, and built in too.
theme_names = dark light mono high-contrast colour-blind
theme_files = themes/dark.theme themes/light.theme themes/mono.theme \
	themes/high-contrast.theme themes/colour-blind.theme
themesdir = $(pkgdatadir)/themes
dist_themes_DATA = $(theme_files)
BUILT_SOURCES += ui/screen/builtin_themes.h
ui/screen/builtin_themes.h: $(theme_files)
	$(AM_V_GEN)$(MKDIR_P) ui/screen && { \
		echo 'static const struct { const char *name, *text; } builtin_themes[] = {'; \
		for theme in $(theme_names); do \
			echo "{ \"$$theme\","; \
			sed -e 's/\\/&&/g' -e 's/"/\\&/g' -e 's/.*/"&\\n"/' '$(srcdir)'/themes/$$theme.theme; \
			echo '},'; \
		done; \
		echo '};'; } > $@.tmp && mv $@.tmp $@
CLEANFILES += ui/screen/builtin_themes.h
nodist_%C%_libscreen_a_SOURCES = %D%/builtin_themes.h
%D%/libscreen_a-theme.$(OBJEXT): ui/screen/builtin_themes.h
