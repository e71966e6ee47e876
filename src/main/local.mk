# What src/main.c does around the commands.  See README.md.
noinst_LIBRARIES += %D%/libmain.a
%C%_libmain_a_CPPFLAGS = $(AM_CPPFLAGS) -I.
%C%_libmain_a_SOURCES = \
	%D%/cmd_browse.c %D%/cmd_browse.h \
	%D%/cmd_live.c %D%/cmd_live.h \
	%D%/guides.c %D%/guides.h \
	%D%/set_up.c %D%/set_up.h

# Guides that are inside the program: guide_first_steps and so on.
guides = first-steps flight-recorder from-other-tools guests install limits locks
BUILT_SOURCES += %D%/guide_texts.h
%D%/guide_texts.h: $(guides:%=share/%.md) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
		for guide in $(guides); do \
			echo "static const char guide_$$guide[] =" | tr - _; \
			sed -e 's/\\/&&/g' -e 's/"/\\&/g' -e 's/.*/"&\\n"/' '$(srcdir)'/share/$$guide.md || exit 1; \
			echo ';'; \
		done; } > $@.tmp && mv $@.tmp $@
CLEANFILES += %D%/guide_texts.h
nodist_%C%_libmain_a_SOURCES = %D%/guide_texts.h
%D%/libmain_a-guides.$(OBJEXT): %D%/guide_texts.h
