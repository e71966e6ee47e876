#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""coverage.py BUILD [-v]: how many lines of parsers/ ran in a build with --coverage.

For each folder, and each file with less than it should have; -v: with the lines that did not run.
Fails if less than 85 % of all lines ran.
"""
import collections
import glob
import json
import os
import subprocess
import sys

WANTED = 85
SRC = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def lines_of(build):
    """{file: {line: has it run?}}"""
    files = collections.defaultdict(lambda: collections.defaultdict(bool))
    notes = glob.glob(os.path.join(build, "parsers", "*", "*.gcno"))
    told = subprocess.run(["gcov", "--json-format", "--stdout"] + notes, cwd=build, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for each in told.splitlines():
        for file in json.loads(each)["files"]:
            path = os.path.relpath(os.path.join(build, file["file"]), SRC)
            if path.startswith("parsers/"):
                for line in file["lines"]:
                    files[path][line["line_number"]] |= line["count"] > 0
    return files


def percent(files):
    lines = [ran for file in files for ran in file.values()]
    return 100 * sum(lines) / len(lines) if lines else 0


def main():
    build, details = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["-v"]
    files = lines_of(build)
    for folder in sorted({os.path.dirname(path) for path in files}):
        inside = {path: lines for path, lines in sorted(files.items()) if os.path.dirname(path) == folder}
        print(f"{percent(inside.values()):6.1f} %  {folder}")
        for path, lines in inside.items():
            if details or percent([lines]) < WANTED:
                print(f"{percent([lines]):6.1f} %      {os.path.basename(path)}")
            if details:
                print("             ", *(line for line, ran in sorted(lines.items()) if not ran))
    print(f"{percent(files.values()):6.1f} %  of the lines of parsers/; {WANTED} % are wanted")
    return percent(files.values()) < WANTED


if __name__ == "__main__":
    sys.exit(main())
