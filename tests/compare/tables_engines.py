#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables in Parquet, asked by DuckDB and by ClickHouse: number, sum, least and most of every column, of 200 traces as one dataset,
against the same tables as CSV; the queries of share/queries and their answers.  With FTOP_TEST_LONG=1, if npm can install the
engines (@duckdb/node-api, chdb), or FTOP_NODE_MODULES is a folder that has them.  Prints TAP.
"""
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from report_common import BUILD, DATA, LONG, PROGRAM, SHARED, SRC, Failure, Tap, run

TRACES = 200
QUERIES = os.path.join(SRC, "share", "queries")
TABLES = ("sched_slice", "thread_state", "thread", "process", "slice", "irq_slice", "softirq_slice", "counter",
          "ftrace_event", "args", "wakeup", "latency")
# Each line of the input is a JSON string of SQL; each of the output the rows as lists of strings, or what went wrong.
DRIVERS = {
    "@duckdb/node-api": """
import { DuckDBInstance } from '@duckdb/node-api'; import fs from 'fs';
const c = await (await DuckDBInstance.create(':memory:')).connect();
for (const line of fs.readFileSync(0, 'utf8').trim().split('\\n'))
    try { console.log(JSON.stringify((await c.runAndReadAll(JSON.parse(line))).getRowsJson())); }
    catch (e) { console.log(JSON.stringify(e.message)); }
""",
    "chdb": """
import { Session } from 'chdb'; import fs from 'fs';
const s = new Session();
for (const line of fs.readFileSync(0, 'utf8').trim().split('\\n'))
    try { const r = String(s.query(JSON.parse(line), 'JSONCompactStrings')); console.log(JSON.stringify(r ? JSON.parse(r).data : [])); }
    catch (e) { console.log(JSON.stringify(e.message)); }
s.cleanup();
""",
}
VIEWS = {"@duckdb/node-api": "duckdb.sql", "chdb": "clickhouse.sql"}


def equal(got, expected, what):
    if got != expected:
        raise Failure("%s: %r instead of %r" % (what, got, expected))


def install(package, folder):
    """Why the engine cannot be had; None: it is in the folder."""
    given = os.environ.get("FTOP_NODE_MODULES")
    if given and os.path.exists(os.path.join(given, package)):
        if not os.path.exists(os.path.join(folder, "node_modules")):
            os.symlink(given, os.path.join(folder, "node_modules"))
        return None
    if not shutil.which("npm"):
        return "npm is not here"
    try:
        done = subprocess.run(["npm", "install", "--silent", "--prefix", folder, package], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "npm install %s takes more than 300 s" % package
    return None if done.returncode == 0 else "npm cannot install %s" % package


def ask(engine, folder, statements):
    """The rows of each statement, as lists of strings; None for NULL."""
    done = subprocess.run(["node", "--input-type=module", "-e", DRIVERS[engine]], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, input="\n".join(map(json.dumps, statements)).encode())
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    if len(answers) != len(statements):
        raise Failure("%d answers to %d questions: %s" % (len(answers), len(statements), done.stderr.decode()[-500:]))
    for statement, answer in zip(statements, answers):
        if isinstance(answer, str):
            raise Failure("%s: %s" % (statement, answer))
    return [[[None if v in (None, "ᴺᵁᴸᴸ") else str(v) for v in row] for row in answer] for answer in answers]


def figures(values, is_number):
    """What is asked of a column: how many, least and most; sum or total length."""
    there = [value for value in values if value is not None]
    if not is_number:
        there = [value.encode() for value in there]
    least, most = (min(there), max(there)) if there else (None, None)
    amount = sum(there) if is_number else sum(map(len, there))
    return [str(len(there)), *(None if v is None else v.decode() if isinstance(v, bytes) else str(v) for v in (least, most)),
            str(amount) if there else None]


def question(engine, column, is_number):
    """Sums do not fit into 64 bits where values are addresses."""
    if is_number:
        amount = "sum(%s::HUGEINT)" if engine != "chdb" else "sum(toInt256(%s))"
    else:
        amount = "sum(octet_length(encode(%s)))" if engine != "chdb" else "sum(length(%s))"
    return "count({0}), min({0}), max({0}), {1}".format('"%s"' % column, amount % ('"%s"' % column))


NUMBERS = {"id", "ts", "dur", "cpu", "utid", "priority", "cut", "io_wait", "waker_utid", "irq_context", "doubtful", "tid", "upid", "is_main_thread",
           "pid", "depth", "parent_id", "irq", "vec", "value", "common_flags", "arg_set_id", "int_value", "run_ts"}


class Dataset:
    """200 traces as Parquet, and as CSV, which is read by Python and by SQLite."""

    def __init__(self, folder):
        found = [os.path.join(path, name) for top in (os.path.join(SHARED, "fixtures") if SHARED else "", DATA)
                 for path, _, names in sorted(os.walk(top)) for name in sorted(names) if name == "trace.dat"]
        self.columns = {}
        self.base = sqlite3.connect(":memory:")
        for i in range(TRACES):
            words = [PROGRAM, "export", "--tables", os.path.join(folder, "dataset"), "--name=t%03d" % i, found[i % len(found)]]
            run(words)
            words[3] = os.path.join(folder, "csv")
            run(words + ["--format=csv"])
        for table in TABLES:
            rows, names = [], None
            for i in range(TRACES):
                with open(os.path.join(folder, "csv", table, "t%03d.csv" % i), encoding="utf-8", newline="") as file:
                    lines = csv.reader(file)
                    names = next(lines)
                    rows += lines
            columns = [self.values(name, [row[k] for row in rows]) for k, name in enumerate(names)]
            self.columns[table] = dict(zip(names, columns))
            self.base.execute("CREATE TABLE %s (%s)" % (table, ", ".join(names)))
            self.base.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), zip(*columns))
        for index in ("args (trace, arg_set_id, key)", "thread (trace, utid)", "sched_slice (trace, cpu, ts)", "thread_state (trace, utid, ts)"):
            self.base.execute("CREATE INDEX %s ON %s" % (index.split()[0] + "_index", index))

    @staticmethod
    def values(name, texts):
        if name in NUMBERS:
            return [int(text) if text else None for text in texts]
        # CSV cannot tell an empty string from none: only args have such strings
        return [text or None for text in texts]

    def check_columns(self, engine, folder):
        statements, expected = [], []
        for table in TABLES:
            for column, values in self.columns[table].items():
                source = "'dataset/%s/*.parquet'" % table if engine != "chdb" else "file('dataset/%s/*.parquet')" % table
                where = " WHERE \"%s\" != ''" % column if column not in NUMBERS else ""
                statements.append("SELECT %s FROM %s%s" % (question(engine, column, column in NUMBERS), source, where))
                expected.append(figures(values, column in NUMBERS))
            statements.append("SELECT count(*) FROM " + source)
            expected.append([str(len(values))])
        for statement, got, wanted in zip(statements, ask(engine, folder, statements), expected):
            equal(got[0], wanted, statement)

    def check_queries(self, engine, folder):
        queries = [read_query(name) for name in query_names()]
        found = ask(engine, folder, views(engine) + queries)[-len(queries):]
        for query, got in zip(queries, found):
            wanted = [[None if value is None else str(value) for value in row] for row in self.base.execute(query)]
            equal([list(map(plain, row)) for row in got], [list(map(plain, row)) for row in wanted], query)


def plain(text):
    """Numbers as such: engines print 1.0 and 1."""
    try:
        return float(text) if "." in text else int(text)
    except (TypeError, ValueError):
        return text


def query_names():
    return sorted(name for name in os.listdir(QUERIES) if name[0].isdigit() and name.endswith(".sql"))


def read_query(name):
    with open(os.path.join(QUERIES, name), encoding="utf-8") as file:
        return file.read().strip().rstrip(";")


def views(engine):
    return [part.strip() for part in read_query(VIEWS[engine]).split(";\n")]


def check_demo(engine, folder):
    """The answers that stand beside the queries."""
    folder = os.path.join(folder, "demo")
    if not os.path.exists(folder):
        os.mkdir(folder)
        os.symlink(os.path.join("..", "node_modules"), os.path.join(folder, "node_modules"))
        run([PROGRAM, "export", "--tables", os.path.join(folder, "dataset"), os.path.join(SRC, "tests", "demo", "demo.dat")])
    names = query_names()
    for name, rows in zip(names, ask(engine, folder, views(engine) + [read_query(name) for name in names])[-len(names):]):
        with open(os.path.join(QUERIES, name[:-4] + ".txt"), encoding="utf-8") as file:
            wanted = [line.rstrip("\n").split("|") for line in file][1:]
        equal([[plain(value or "") for value in row] for row in rows], [list(map(plain, row)) for row in wanted], name)


def check_rows(engine, folder):
    """A million rows and five of tests/tools/make_parquet, in two row groups."""
    rows, mixed, columns = 1000005, 1, {name: [] for name in ("id", "mixed", "sparse", "never", "plain", "few", "many", "none", "odd")}
    run([os.path.join(BUILD, "tests/tools/make_parquet"), os.path.join(folder, "rows.parquet"), str(rows)])
    odd = ["", "café", "caf\ufffd", "a\"b,c\n", "🐧"]
    for i in range(rows):
        mixed = (mixed * 6364136223846793005 + 1442695040888963407) % 2**64
        number = mixed if i % 3 else mixed >> i % 64
        columns["id"].append(i)
        columns["mixed"].append(number - 2**64 if number >= 2**63 else number)
        columns["sparse"].append(-i if i % 7 == 3 else None)
        columns["never"].append(None)
        columns["plain"].append(mixed - 2**64 if mixed >= 2**63 else mixed)
        columns["few"].append(("abcdefghi"[i % 9] if i % 9 else "abc") if i % 5 else None)
        columns["many"].append(str(mixed) if i % 1000 else str(mixed) + "\0" + "x" * (159 - len(str(mixed))))
        columns["none"].append(None)
        columns["odd"].append(odd[i % 5])
    source = "'rows.parquet'" if engine != "chdb" else "file('rows.parquet')"
    numbers = {"id", "mixed", "sparse", "never", "plain"}
    statements = ["SELECT %s FROM %s" % (question(engine, name, name in numbers), source) for name in columns]
    for name, got in zip(columns, ask(engine, folder, statements)):
        equal(got[0], figures(columns[name], name in numbers), name)


def main():
    tap = Tap()
    cases = ("rows of every kind", "the demo's answers", "columns of %d traces" % TRACES, "queries of %d traces" % TRACES)
    with tempfile.TemporaryDirectory() as folder:
        data = None
        for engine in DRIVERS:
            why = "only with --long" if not LONG else install(engine, folder)
            if why:
                for case in cases:
                    tap.skip("%s: %s" % (engine, case), why)
                continue
            data = data or Dataset(folder)
            for case, check in zip(cases, (check_rows, check_demo, data.check_columns, data.check_queries)):
                tap.case("%s: %s" % (engine, case), check, engine, folder)
    tap.end()


main()
