# SPDX-License-Identifier: GPL-2.0-or-later
"""
features - share/ftrace-features.md: the table of what ftrace has, and the list of files that need no row there.
"""
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "share", "ftrace-features.md")
NEED_NONE = "Files that need none"
COLUMNS = ["feature", "since", "files", "in the program", "test"]


def tables(page=PAGE):
    """[(section, cells of a row)], without the headings of tables."""
    found, section = [], ""
    with open(page, encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                section = line[3:].strip()
            elif line.startswith("| ") and section and not line.startswith(("| --- ", "| feature ", "| files ")):
                found.append((section, [cell.strip() for cell in line.strip().strip("|").split("|")]))
    return found


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def files(page=PAGE):
    """Those that rows name, and those that need none."""
    rows = tables(page)
    named = {name for section, cells in rows if section != NEED_NONE for name in quoted(cells[2])}
    return named, {name for section, cells in rows if section == NEED_NONE for name in quoted(cells[0])}


def name_of(path):
    """
    A path below tracefs as the page names it: without the instance that it is in, and with * for names that the kernel's builder
    or a user chose.
    """
    parts = path.removeprefix("./").split("/")
    before = []
    if parts[0] in ("instances", "remotes") and len(parts) > 2:
        before = ["remotes", "*"] if parts[0] == "remotes" else []
        parts = parts[2:]
    if parts[0] == "events" or parts[:2] == ["rv", "monitors"]:
        parts = [*parts[:1 if parts[0] == "events" else 2], "*", parts[-1]]
    return re.sub(r"\b(cpu|function)\d+(?=/|$)", r"\1*", "/".join(before + parts))


def unknown(paths, page=PAGE):
    """The names of those files of tracefs that are not on the page."""
    named, need_none = files(page)
    return sorted({name_of(path) for path in paths} - named - need_none)
