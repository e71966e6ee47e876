/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_BACKGROUND_H
#define FTOP_UI_SCREEN_BACKGROUND_H
/* background - is a terminal's background dark or light, by what the terminal says? */

enum background { BACKGROUND_UNKNOWN, BACKGROUND_DARK, BACKGROUND_LIGHT };

/* Reads the answer to OSC 11: "11;rgb:ffff/ffff/ffff", "11;rgba:...", or "11;#ffffff". */
enum background background_of_answer(const char *s);

/* Reads COLORFGBG: "15;0", "0;default;15".  NULL is allowed. */
enum background background_of_variable(const char *s);
#endif
