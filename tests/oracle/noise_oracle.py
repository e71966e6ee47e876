# SPDX-License-Identifier: GPL-2.0-or-later
"""What timerlat, osnoise and hwlat measured, worked out from a plain list of events, slowly and with whole lists at a time.

The rules of a sample's analysis are those of rtla's timerlat_aa.c.
"""
import collections
import re
import subprocess

# @ts in ns; @lost: events were lost on the CPU before it.
Event = collections.namedtuple("Event", "ts cpu pid name fields lost")

NOISE = ("nmi_noise", "irq_noise", "softirq_noise", "thread_noise")
SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
PARTS = dict(zip(NOISE, ("NMI interference", "irq interference", "softirq interference", "thread interference")))


def from_trace_cmd(trace_cmd, path):
    """All events, by CPU."""
    text = subprocess.run([trace_cmd, "report", "-R", "-t", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode(errors="replace")
    cpus, lost = collections.defaultdict(list), set()
    for line in text.split("\n"):
        dropped = re.match(r"CPU:(\d+) \[.*EVENTS DROPPED\]", line)
        head = re.match(r" *\S.*-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): +(.*)", line)
        if dropped:
            lost.add(int(dropped[1]))
        if not head:
            continue
        fields = dict(re.findall(r"(\w+)=(\S+)", head[6]))
        cpu = int(head[2])
        cpus[cpu].append(Event(int(head[3] + head[4]), cpu, int(head[1]), head[5],
                               {name: int(value) if re.fullmatch(r"-?\d+", value) else value for name, value in fields.items()},
                               cpu in lost))
        lost.discard(cpu)
    return dict(cpus)


# --- figures ---------------------------------------------------------------------------------

def figures(values):
    return (values[-1], min(values), sum(values) // len(values), max(values)) if values else (None,) * 4


def sources(events):
    return tuple(sum(e.fields["duration"] for e in events if e.name == name) for name in NOISE)


def timerlat_cpu(events):
    of = [[e.fields["timer_latency"] for e in events if e.name == "timerlat" and e.fields["context"] == context]
          for context in range(3)]
    return tuple((len(values), *figures(values)) for values in of)


def osnoise_cpu(events):
    own = [e.fields for e in events if e.name == "osnoise"]
    runtime, noise = (sum(e[name] for e in own) for name in ("runtime", "noise"))
    counts = tuple(sum(e[name] for e in own) for name in ("hw_count", "nmi_count", "irq_count", "softirq_count", "thread_count"))
    available = (runtime - noise) * 10000000 // runtime if runtime else None
    return (len(own), runtime, noise, available, max(e["noise"] for e in own), max(e["max_sample"] for e in own), *counts)


def hwlat_cpu(events):
    own = [e.fields for e in events if e.name == "hwlat"]
    return (len(own), *figures([e["duration"] * 1000 for e in own]), *figures([e["outer_duration"] * 1000 for e in own]),
            sum(e["count"] for e in own), sum(e["nmi_count"] for e in own))


def is_doubtful(events):
    return any(e.lost for e in events[1:])


# --- timerlat's samples ------------------------------------------------------------------------

class Sample:
    """@events: those of the CPU; @at: the places of its own records in them, by context; @after: that of the sample before."""

    def __init__(self, events, at, after):
        self.events, self.at, self.after = events, at, after
        self.ns = [events[at[c]].fields["timer_latency"] if c in at else None for c in range(3)]
        last = max(at.values())
        self.ts, self.cpu = events[last].ts, events[last].cpu
        self.seq = events[last].fields["seqnum"]
        self.total = self.ns[max(at)]
        begin = after + 1 if after is not None else min(at.values())
        self.doubtful = any(e.lost for e in events[begin if after is not None else begin + 1:last + 1])
        self.seen = events[begin:last + 1]
        self.last = last

    def worst(self):
        return max(ns for ns in self.ns if ns is not None)

    def analysis(self, slack=0):
        """part -> ns, and the list of (part, ns, what).  None where nothing is known."""
        noise = [(i, e) for i, e in enumerate(self.events) if e.name in NOISE and self.last >= i and e in self.seen]
        if not noise or 0 not in self.at:
            return None
        irq = self.events[self.at[0]]
        before = [e for i, e in noise if i < self.at[0] and e.name in NOISE[:2]]
        behind = [e for i, e in noise if i > self.at[0]]
        expected = irq.ts - self.ns[0]
        parts, items = {"irq latency": self.ns[0]}, []
        timer = next((e for e in behind if e.name == "irq_noise"), None)
        if timer and not encloses(timer, irq, behind):
            timer = None
        if timer:
            behind.remove(timer)
            parts["timer irq duration"] = timer.fields["duration"]
            parts["handler delay"] = max(timer.fields["start"] - expected, 0)
            if before and before[-1].fields["start"] + before[-1].fields["duration"] > expected:
                parts["previous irq, up to"] = before[-1].fields["duration"]
                items.append(("previous irq, up to", before[-1]))
        blocking = next((e for e in behind if e.name == "thread_noise" and e.pid == irq.pid and e.fields["duration"]), None)
        parts["blocking thread"] = blocking.fields["duration"] if blocking else 0
        for name, part in PARTS.items():
            of = [e for e in behind if e.name == name and e is not blocking]
            parts[part] = sum(e.fields["duration"] for e in of)
            items += [(part, e) for e in of]
        if blocking:
            items.append(("blocking thread", blocking))
        if max(self.at) == 0:
            keep = ("previous irq, up to", "handler delay", "irq latency", "NMI interference")
            parts = {part: ns for part, ns in parts.items() if part in keep}
        else:
            rest = self.total - sum(ns for part, ns in parts.items() if part not in ("irq latency", "previous irq, up to"))
            if rest >= 0 and timer:
                parts["the rest"] = rest
        return parts, sorted((part, e.fields["duration"], what(e)) for part, e in items if part in parts)


def encloses(timer, irq, behind):
    """Is it the interrupt in which the latency was recorded?  NMIs are not in its duration."""
    nmis = sum(e.fields["duration"] for e in behind[:behind.index(timer)] if e.name == "nmi_noise")
    start = timer.fields["start"]
    return start <= irq.ts + 1000 and irq.ts <= start + timer.fields["duration"] + nmis + 1000


def what(event):
    if event.name == "nmi_noise":
        return "nmi"
    if event.name == "thread_noise":
        return "%s:%d" % (event.fields["comm"], event.pid)
    name = event.fields["desc"] if event.name == "irq_noise" else SOFTIRQS[event.fields["vector"]]
    return "%s:%d" % (name, event.fields["vector"])


def samples(events):
    found, now, after, last = [], {}, None, None
    for i, event in enumerate(events):
        if event.name != "timerlat":
            continue
        context, seq = event.fields["context"], event.fields["seqnum"]
        if now and (context == 0 or seq != events[last].fields["seqnum"]):
            found.append(Sample(events, now, after))
            now, after = {}, last
        now = {**now, context: i}
        last = i
    if now:
        found.append(Sample(events, now, after))
    return found
