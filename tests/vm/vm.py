# SPDX-License-Identifier: GPL-2.0-or-later
"""
vm - starts a Linux kernel under QEMU, without root, and runs a script in it as root.

The machine has no disk to start from: its root lies in memory, made here of busybox, the
programs that a test names with their libraries, and the script.  The script's output comes
over the second serial port (kernel messages go to the first and never mix with it).  What it
leaves in /out comes back as tar archives on a raw virtio disk: one more with each "sh /vm/keep",
so that a machine that hangs takes with it what was not kept alone.

Kernels are fetched with apt-get once, and kept in ~/.cache/ftop-trace-vm/NAME:

    cloud    Debian's cloud kernel              rt       Debian's PREEMPT_RT kernel
    newest   the cloud kernel of Debian sid     tracers  built by build-kernel.sh: all tracers, monitors of runtime verification
    arm64    Debian's cloud kernel of arm64     arm64-16k  one of Debian 13, with pages of 16 KiB

A kernel that somebody put there under another name is taken as it is.  Those of another processor run the program that
./dev static built for it.
"""
import collections
import contextlib
import glob
import io
import lzma
import os
import re
import secrets
import shutil
import socket
import stat
import struct
import subprocess
import tarfile
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ftop-trace-vm")

DISK_BYTES = 4 << 30
# Limits that end a machine that hangs; none that works comes near them, however slow its host is.
START_S = 1200          # until the script's first word
STALL_S = 1200          # from one word to the next
# The virtual CPUs take turns in one thread.  With a thread for each, QEMU (7.2) now and then goes on
# with what it made of a function's first byte while ftrace had a breakpoint there, for good: the
# kernel removed it long ago, takes the trap for a late one, and tries again.  Both CPUs stand then at
# the entry of some function that was just switched.
ACCEL = "tcg,thread=single"
# Time in the machine advances by 1 ns for each instruction, and jumps while the CPU is idle.  So nothing takes longer because
# the host is busy.  QEMU can do this with one CPU only.
STEADY = ["-accel", ACCEL, "-smp", "1", "-icount", "shift=0,sleep=off"]
# Modules that are kept of a kernel, by the beginnings of their names: disks, file systems for tests on them; one with events.
KEPT = ("virtio", "loop", "ext4", "jbd2", "mbcache", "crc16", "crc32c", "libcrc32c", "fat", "vfat", "nls_", "watchdog", "softdog")

# Names of packages of this machine's processor.
DEBIAN = {"cloud": "linux-image-cloud-amd64", "newest": "linux-image-cloud-amd64", "rt": "linux-image-rt-amd64"}

# name: as ./dev static has it.  machine: what QEMU is told beyond what all are.  console: the kernel's.  channel: where the
# script's output goes, and the device that brings it into a file.
Processor = collections.namedtuple("Processor", "name qemu package machine console channel device")
HERE = Processor("x86_64", "qemu-system-x86_64", "qemu-system-x86", ("-cpu", "max"), "ttyS0", "ttyS1", ("-serial", "file:{}"))
# Pointers are signed by a hash that takes QEMU less time than the architecture's own.
AARCH64 = Processor("aarch64", "qemu-system-aarch64", "qemu-system-arm", ("-M", "virt", "-cpu", "max,pauth-impdef=on"),
                    "ttyAMA0", "ttyS0", ("-chardev", "file,id=output,path={}", "-device", "pci-serial,chardev=output"))
# Kernels of other processors: whose, Debian's name of it with the suite if it is not this machine's, the package.
OTHERS = {"arm64": (AARCH64, "arm64", "linux-image-cloud-arm64"),
          "arm64-16k": (AARCH64, "arm64/trixie", "linux-image-arm64-16k")}


class Unavailable(Exception):
    """No virtual machine can be had here; says why."""


class NoResult(Exception):
    """The machine came to no end."""


# --- kernels ------------------------------------------------------------------------------

def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        raise Unavailable(f"{' '.join(command[:2])}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def sid_options(folder):
    """Options for apt's programs that make them see Debian sid alone, by the mirror in use."""
    targets = run("apt-get", "indextargets", "--format", "$(LABEL) $(REPO_URI)", "Created-By: Packages")
    mirror = re.search(r"^Debian (\S+)", targets, re.M)
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    if not mirror or not os.path.exists(key):
        raise Unavailable("apt has no mirror of Debian to ask for sid")
    os.makedirs(f"{folder}/lists/partial")
    with open(f"{folder}/sid.list", "w") as f:
        f.write(f"deb [signed-by={key}] {mirror.group(1)} sid main\n")
    options = ["-o", "APT::Sandbox::User=root", "-o", f"Dir::Etc::sourcelist={folder}/sid.list",
               "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={folder}/lists",
               "-o", f"Dir::Cache={folder}"]
    run("apt-get", "-qq", *options, "update")
    return options


def depends(package, options):
    found = re.search(r"^ *Depends: (linux-image-\S+)$", run("apt-cache", *options, "depends", package), re.M)
    if not found:
        raise Unavailable(f"apt knows no {package}")
    return found.group(1)


def keep_module(path, folder):
    data = open(path, "rb").read()
    with open(f"{folder}/{os.path.basename(path).removesuffix('.xz')}", "wb") as f:
        f.write(lzma.decompress(data) if path.endswith(".xz") else data)


def keep_kernel(root, folder):
    """Of what was unpacked below root: vmlinuz and the modules of virtio."""
    kernels = glob.glob(f"{root}/boot/vmlinuz-*") + glob.glob(f"{root}/usr/lib/modules/*/vmlinuz")
    if not kernels:
        raise Unavailable("no kernel in its package")
    shutil.copy(kernels[0], f"{folder}/vmlinuz")
    for path in glob.glob(f"{root}/**/*.ko*", recursive=True):
        if os.path.basename(path).split(".")[0].replace("-", "_").startswith(KEPT):
            keep_module(path, folder)
    with open(f"{folder}/kept", "w") as f:
        f.write(" ".join(KEPT))


def fetch_debian(name, folder):
    """vmlinuz, version and the modules of virtio, of a kernel of Debian's, into folder."""
    with tempfile.TemporaryDirectory() as work:
        options = sid_options(work) if name == "newest" else ["-o", "APT::Sandbox::User=root"]
        image = depends(DEBIAN[name], options)
        print(f"# fetching {image}", flush=True)
        # Newer packages hold the modules apart from the kernel.
        parts = [image]
        for prefix in ("linux-binary-", "linux-modules-"):
            part = prefix + image.removeprefix("linux-image-")
            if subprocess.run(["apt-cache", *options, "show", part], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0:
                parts.append(part)
        for part in parts:
            run("apt-get", "-qq", *options, "download", part, cwd=work)
        for package in glob.glob(f"{work}/*.deb"):
            run("dpkg-deb", "-x", package, f"{work}/root")
        keep_kernel(f"{work}/root", folder)
        with open(f"{folder}/version", "w") as f:
            f.write(image.removeprefix("linux-image-") + "\n")


def keep_program(root, name, folder):
    """A program of another processor's, and its libraries."""
    os.makedirs(f"{folder}/lib", exist_ok=True)
    found = [path for place in ("bin", "usr/bin") for path in glob.glob(f"{root}/{place}/{name}")]
    if not found:
        raise Unavailable(f"no {name} in its package")
    shutil.copy(found[0], f"{folder}/{name}")
    wanted, have = [found[0]], set()
    while wanted:
        for library in re.findall(r"\(NEEDED\).*\[(\S+)\]", run("readelf", "-d", wanted.pop())):
            if library not in have:
                have.add(library)
                wanted += glob.glob(f"{root}/usr/lib/*/{library}")[:1] or glob.glob(f"{root}/lib/*/{library}")[:1]
                shutil.copy(wanted[-1], f"{folder}/lib/{library}")


def fetch_other(name, folder):
    """The same of another processor, with the programs that the machine needs: of this machine's suite, as its own are."""
    _, debian, image = OTHERS[name]
    print(f"# fetching {image}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        for root, architecture, packages in ((f"{work}/kernel", debian, (image,)),
                                             (f"{work}/programs", debian.split("/")[0],
                                              ("busybox-static", "trace-cmd", "libtraceevent1-plugin"))):
            run(f"{top}/src/static/sysroot", architecture, root, *packages)
        keep_kernel(f"{work}/kernel", folder)
        for program in ("busybox", "trace-cmd"):
            keep_program(f"{work}/programs", program, f"{folder}/programs")
        for plugins in glob.glob(f"{work}/programs/usr/lib/*/traceevent/plugins"):
            shutil.copytree(plugins, f"{folder}/programs" + plugins.removeprefix(f"{work}/programs"))


def whole(folder):
    """Whether a folder of a Debian kernel holds what is kept of one: an older one may lack modules."""
    try:
        with open(f"{folder}/kept") as f:
            return f.read() == " ".join(KEPT)
    except OSError:
        return False


def fetch(name, folder):
    """Puts a kernel into its folder, instead of what is there."""
    os.makedirs(cache, exist_ok=True)
    new = tempfile.mkdtemp(dir=cache, prefix=f"{name}.")
    old = f"{new}.old"
    try:
        (fetch_other if name in OTHERS else fetch_debian)(name, new)
        with contextlib.suppress(OSError):      # another run may have been quicker
            if not whole(folder) and os.path.exists(folder):
                os.rename(folder, old)
            os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def kernel(name):
    """The folder of a kernel; fetches it where it is not there yet."""
    folder = f"{cache}/{name}"
    there = os.path.exists(f"{folder}/vmlinuz")
    fetched = name in DEBIAN or name in OTHERS
    if there and (not fetched or whole(folder)):
        return folder
    if not fetched:
        raise Unavailable(f"there is no {folder}/vmlinuz" + (": ./dev test --long builds it" if name == "tracers" else ""))
    try:
        if shutil.which("apt-get") is None:
            raise Unavailable("kernels come by apt-get, which is not here")
        fetch(name, folder)
    except Unavailable as why:
        if not there:
            raise
        print(f"# {name}: the kernel of an earlier run is taken, which may lack modules: {why}", flush=True)
    return folder


def modules_for(folder, wanted):
    """Paths of modules with what they need, in the order of loading."""
    paths = {os.path.basename(p)[:-3].replace("-", "_"): p for p in glob.glob(f"{folder}/*.ko")}
    order = []

    def add(name):
        name = name.replace("-", "_")
        if name not in paths or paths[name] in order:
            return                              # built in, or there already
        found = re.search(rb"\0depends=([^\0]*)\0", b"\0" + open(paths[name], "rb").read())
        for needed in found.group(1).decode().split(",") if found else []:
            add(needed)
        order.append(paths[name])

    for name in wanted:
        add(name)
    return order


def unpacked_headers(version, work):
    """The folders of Debian's headers of a kernel, and of what is common to its flavours, below work."""
    sandbox = ["-o", "APT::Sandbox::User=root"]
    package = f"linux-headers-{version}"
    needed = re.findall(r"^ *Depends: (linux-(?:headers|kbuild)-\S+)$", run("apt-cache", *sandbox, "depends", package), re.M)
    for name in (package, *needed):
        run("apt-get", "-qq", *sandbox, "download", name, cwd=work)
    for path in glob.glob(f"{work}/*.deb"):
        run("dpkg-deb", "-x", path, work)
    common = [name for name in needed if "-common" in name]
    return f"{work}/usr/src/{package}", f"{work}/usr/src/{common[0]}"


def built_module(folder, source):
    """A module of the tests' for a kernel of Debian's; built by its headers once."""
    name = os.path.basename(source).removesuffix(".c")
    built = f"{folder}/{name}.ko"
    if os.path.exists(built) and os.path.getmtime(built) > os.path.getmtime(source):
        return built
    if not os.path.exists(f"{folder}/version"):
        raise Unavailable("no kernel of Debian's for this machine's processor")
    with open(f"{folder}/version") as f, tempfile.TemporaryDirectory() as work:
        own, common = unpacked_headers(f.read().strip(), work)
        os.mkdir(f"{work}/{name}")
        shutil.copy(source, f"{work}/{name}")
        with open(f"{work}/{name}/Kbuild", "w") as kbuild:
            kbuild.write(f"obj-m := {name}.o\n")
        run("make", "-s", "-f", f"{common}/Makefile", f"M={work}/{name}", "modules", cwd=own)
        run("strip", "--strip-debug", f"{work}/{name}/{name}.ko")
        shutil.move(f"{work}/{name}/{name}.ko", built)
    return built


# --- the root in memory -------------------------------------------------------------------

class Root:
    """An initramfs: a cpio archive in "newc" format."""

    def __init__(self):
        self.out = io.BytesIO()
        self.have = set()
        self.inode = 0

    def entry(self, path, mode, data=b""):
        path = path.strip("/")
        if path in self.have:
            return
        if os.path.dirname(path):
            self.folder(os.path.dirname(path))
        self.have.add(path)
        self.inode += 1
        name = path.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        self.out.write(b"070701" + b"".join(b"%08X" % field for field in fields) + name)
        self.out.write(b"\0" * (-(110 + len(name)) % 4) + data + b"\0" * (-len(data) % 4))

    def folder(self, path, mode=0o755):
        self.entry(path, stat.S_IFDIR | mode)

    def file(self, path, data, mode=0o644):
        self.entry(path, stat.S_IFREG | mode, data if isinstance(data, bytes) else data.encode())

    def copy(self, source, path=None):
        """A file with its rights; a program brings its libraries; a folder all below it."""
        path = path or source
        if os.path.isdir(source):
            for name in sorted(os.listdir(source)):
                self.copy(f"{source}/{name}", f"{path}/{name}")
            return
        data = open(source, "rb").read()
        self.file(path, data, stat.S_IMODE(os.stat(source).st_mode))
        if data[:4] == b"\x7fELF":
            listed = subprocess.run(["ldd", source], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            for library in re.findall(r"(/\S+) \(0x", listed):
                if library.strip("/") not in self.have:
                    self.copy(library)

    def write(self, path):
        self.entry("TRAILER!!!", 0)
        with open(path, "wb") as f:
            f.write(self.out.getvalue())


def copy_terminal(root, term):
    """What a program needs to draw on this kind of terminal, and in UTF-8."""
    for folder in ("/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo"):
        path = f"{folder}/{term[0]}/{term}"
        if os.path.exists(path):
            root.copy(path, f"/lib/terminfo/{term[0]}/{term}")
            break
    else:
        raise Unavailable(f"no terminfo entry for {term}")
    ctype = "/usr/lib/locale/C.utf8/LC_CTYPE"
    if os.path.exists(ctype):	# else the screens are in ASCII
        root.copy(ctype)


INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/usr/local/bin:/usr/bin:/bin HOME=/root TERM=linux
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts; mount -t devpts pts /dev/pts 2>/dev/null
mount -t tmpfs tmp /tmp; chmod 1777 /tmp
mount -t debugfs debug /sys/kernel/debug 2>/dev/null; mount -t tracefs trace /sys/kernel/tracing
hostname vm
cat /vm/modules | while read -r module; do insmod "/vm/$module"; done
channel=/dev/$(cat /vm/channel)
stty -F $channel raw
cd /tmp
/bin/busybox sh /vm/payload "$(cat /vm/token)" </dev/null >$channel 2>&1
echo $? >/out/.status
sh /vm/keep
poweroff -f
"""

# Adds what is in /out to the disk: a block with the archive's size, then the archive.
KEEP = """
at=$(cat /run/kept 2>/dev/null || echo 0)
tar -C /out -cf /tmp/.keep . || exit 1
size=$(stat -c %s /tmp/.keep)
{ printf '%-511d\\n' $size; cat /tmp/.keep; } | dd of=/dev/vda bs=64k seek=$at oflag=seek_bytes conv=notrunc 2>/dev/null
echo $((at + 512 + size)) >/run/kept
rm -rf /tmp/.keep /out && mkdir /out && sync
"""

# First thing in every payload.  It does to a kernel what cannot be undone: only the script that
# this runner starts, in the machine that it started, may go on.
GUARD = """
payload_may_run() {
	[ -n "$1" ] || return 1
	case " $(cat /proc/cmdline) " in *" ftop_trace_vm=$1 "*) ;; *) return 1 ;; esac
	[ "$PPID" = 1 ] && [ "$(readlink /proc/1/exe)" = /bin/busybox ] &&
		grep -q '^[^ ]* / rootfs ' /proc/mounts
}
if ! payload_may_run "$1"; then
	echo "this script is for the inside of a test's virtual machine alone" >&2
	exit 2
fi
shift
"""


# --- the machine --------------------------------------------------------------------------

def programs_missing(processor):
    needed = [(processor.qemu, processor.package)]
    needed += [("busybox", "busybox-static")] if processor is HERE else [("readelf", "binutils")]
    for program, package in needed:
        if shutil.which(program) is None:
            return f"{program} is not installed (package {package})"
    return None


def processor_of(name):
    return OTHERS[name][0] if name in OTHERS else HERE


def static_build(processor):
    """Where ./dev static has built the program of another processor."""
    built = f"{top}/build-static-{processor.name}"
    if not os.path.exists(f"{built}/ftop-trace-{processor.name}"):
        raise Unavailable(f"./dev static {processor.name} was not run")
    return built


def compiler(processor):
    """The command that compiles a program for it; with the libraries that ./dev static has unpacked."""
    if processor is HERE:
        return [os.environ.get("CC", "cc")]
    triple, sysroot = f"{processor.name}-linux-gnu", f"{static_build(processor)}/sysroot"
    return [f"{triple}-gcc", f"--sysroot={sysroot}", f"-B{sysroot}/usr/lib/{triple}", "-static-pie"]


def take_out(disk, out):
    """What /vm/keep put on the disk."""
    os.makedirs(out, exist_ok=True)
    with open(disk, "rb") as f:
        while True:
            size = f.read(512).rstrip()
            if not size.isdigit():
                return
            end = f.tell() + int(size)
            with tarfile.open(fileobj=f, mode="r:") as archive:
                archive.extractall(out)
            f.seek(end)


def with_bootconfig(path, text):
    """Appends a bootconfig to an initrd: its text, its size and the sum of its bytes, a mark."""
    data = text.encode()
    data += b"\0" * (-(os.path.getsize(path) + len(data) + 8 + 12) % 4)
    with open(path, "ab") as f:
        f.write(data + struct.pack("<II", len(data), sum(data) & 0xffffffff) + b"#BOOTCONFIG\n")


class Machine:
    """
    One start of a kernel.  modules: to be loaded, where the kernel has them (a copy that was fetched before they were kept
    has not: remove it from the cache).  parameters: more of the kernel's command line.  reboots: a reboot is no end; the
    payload runs again, with what it left in memory alone.  steady: by the clock of STEADY, and with its one CPU.
    """

    def __init__(self, name, memory_mb=1024, cpus=2, modules=(), parameters="", bootconfig="", reboots=False, steady=False):
        self.processor = processor_of(name)
        missing = programs_missing(self.processor)
        if missing:
            raise Unavailable(missing)
        self.name, self.memory_mb, self.cpus, self.modules = name, memory_mb, cpus, modules
        self.parameters, self.bootconfig, self.reboots = parameters, bootconfig, reboots
        self.steady = steady
        self.kernel = kernel(name)
        self.token = secrets.token_hex(16)
        self.root = Root()
        self.console = ""       # what the kernel said

    def copy_program(self, built):
        """ftop-trace: this one, or that of the machine's processor."""
        if self.processor is not HERE:
            built = f"{static_build(self.processor)}/ftop-trace-{self.processor.name}"
        self.root.copy(built, "/usr/local/bin/ftop-trace")

    def copy_tool(self, name, path):
        """A program of Debian's."""
        if self.processor is HERE:
            self.root.copy(shutil.which(name), path)
        else:
            self.root.copy(f"{self.kernel}/programs/{name}", path)
            self.root.copy(f"{self.kernel}/programs/lib", "/lib")

    def copy_trace_cmd(self):
        self.copy_tool("trace-cmd", "/usr/bin/trace-cmd")
        below = "" if self.processor is HERE else f"{self.kernel}/programs"
        for plugins in glob.glob(f"{below}/usr/lib/*/traceevent/plugins"):
            self.root.copy(plugins, plugins.removeprefix(below))

    def prepare(self, work, payload):
        root = self.root
        for folder in ("proc", "sys", "dev", "tmp", "out", "run", "root", "usr/local/bin", "etc"):
            root.folder(folder)
        self.copy_tool("busybox", "/bin/busybox")
        root.file("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
        root.file("/etc/group", "root:x:0:\nnogroup:x:65534:\n")
        order = modules_for(self.kernel, ["virtio_pci", "virtio_blk", *self.modules])
        for path in order:
            root.copy(path, f"/vm/{os.path.basename(path)}")
        root.file("/vm/modules", "".join(os.path.basename(path) + "\n" for path in order))
        root.file("/vm/token", self.token)
        root.file("/vm/channel", self.processor.channel)
        root.file("/vm/guard.sh", GUARD)
        root.file("/vm/keep", KEEP)
        root.copy(payload, "/vm/payload")
        root.file("/init", INIT, 0o755)
        root.write(f"{work}/root.cpio")
        if self.bootconfig:
            with_bootconfig(f"{work}/root.cpio", self.bootconfig)
        with open(f"{work}/disk", "wb") as f:
            f.truncate(DISK_BYTES)

    def command(self, work):
        free = ["-accel", os.environ.get("FTOP_VM_ACCEL", ACCEL), "-smp", str(self.cpus)]
        return [self.processor.qemu, *self.processor.machine, *(STEADY if self.steady else free),
                "-m", str(self.memory_mb), "-display", "none",
                *([] if self.reboots else ["-no-reboot"]),
                "-nodefaults", "-net", "none", "-kernel", f"{self.kernel}/vmlinuz", "-initrd", f"{work}/root.cpio",
                # A busy host gives the emulated timer no time to tick while the kernel looks whether it does.
                "-append", f"console={self.processor.console} quiet panic=-1 no_timer_check sysrq_always_enabled ftop_trace_vm={self.token} "
                + self.parameters,
                "-drive", f"file={work}/disk,format=raw,if=virtio",
                # The monitor shares the console, for a key to the kernel when it hangs.
                "-chardev", f"socket,id=console,path={work}/console.sock,server=on,wait=off,mux=on,logfile={work}/console",
                "-serial", "chardev:console", "-mon", "chardev=console",
                *(word.format(f"{work}/output") for word in self.processor.device)]

    def where_it_hangs(self, work):
        """Makes the kernel tell on its console what each task and CPU does."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as console:
            console.connect(f"{work}/console.sock")
            for key in b"9lwt":
                console.sendall(b"\x01b" + bytes([key]))
                time.sleep(3)

    def wait(self, qemu, work, heard):
        last, limit = time.monotonic(), START_S
        with open(f"{work}/output", "rb") as output:
            while True:
                ended = qemu.poll() is not None
                text = output.read()
                if text:
                    last, limit = time.monotonic(), STALL_S
                    heard(text.decode(errors="replace"))
                if ended:
                    return None
                if time.monotonic() - last > limit:
                    self.where_it_hangs(work)
                    return f"no word for {limit} s"
                time.sleep(0.1)

    def run(self, payload, out, heard=lambda text: None):
        """
        Runs a script of busybox's sh.  heard() gets what it prints, as it comes; what it leaves in /out
        is then in the folder out.  Gives its status; NoResult when it did not come to its end.

        A start under emulation fails by itself now and then, before the script says a word: that is told,
        and tried once more.
        """
        told = []
        for last in (False, True):
            try:
                return self.start(payload, out, lambda text: (told.append(text), heard(text)))
            except NoResult as why:
                if last or told:
                    raise
                print(f"# {self.name}: the start failed ({why}), once more", flush=True)

    def start(self, payload, out, heard):
        with tempfile.TemporaryDirectory(prefix="ftop-trace-vm.") as work:
            self.prepare(work, payload)
            open(f"{work}/output", "wb").close()
            with open(f"{work}/qemu.log", "wb") as log:
                qemu = subprocess.Popen(self.command(work), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                why = self.wait(qemu, work, heard)
            finally:
                if qemu.poll() is None:
                    qemu.kill()
                qemu.wait()
            with contextlib.suppress(OSError):
                self.console = open(f"{work}/console", errors="replace").read()
            try:
                take_out(f"{work}/disk", f"{work}/out")
                shutil.copytree(f"{work}/out", out, dirs_exist_ok=True)
                return int(open(f"{work}/out/.status").read())
            except (tarfile.TarError, OSError, ValueError):
                said = open(f"{work}/qemu.log", errors="replace").read().strip()
                raise NoResult(why or said or "the machine ended without a result") from None


# --- tests in machines --------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.nr = self.failed = 0

    def tell(self, name, fault=None, skip=None):
        self.nr += 1
        for line in (fault or "").splitlines():
            print("#", line)
        self.failed += bool(fault)
        print(f"{'not ok' if fault else 'ok'} {self.nr} - {name}" + (f" # SKIP {skip}" if skip else ""), flush=True)


def find_build():
    for build in (os.environ.get("FTOP_BUILD"), f"{top}/build-gcc", f"{top}/build-run", f"{top}/build"):
        if build and os.access(f"{build}/ftop-trace", os.X_OK):
            return build
    raise Unavailable("ftop-trace is not built")


def main(run_kernel, what, kernels):
    """Calls run_kernel(tap, kernel, program) for each; one skipped test where a kernel cannot be had."""
    tap = Tap()
    for name in kernels:
        try:
            run_kernel(tap, name, f"{find_build()}/ftop-trace")
        except Unavailable as why:
            tap.tell(f"{name}: {what} in a virtual machine", skip=str(why))
    print(f"1..{tap.nr}")
    return tap.failed != 0
