# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Where do the guest's kernel and the headers for its modules come from? Used by lab.

From Debian's packages, which are fetched once, unpacked in a cache and never installed:

    CACHE/stable/linux-image-VERSION       boot/vmlinuz-VERSION, boot/vmlinux-VERSION, lib/modules/VERSION (lib may be a link)
    CACHE/stable/linux-headers-VERSION     usr/src/linux-headers-VERSION, what a module is built against
    CACHE/stable/apt                       package lists, where those of the host do not do
"""
import contextlib
import fcntl
import lzma
import os
import re
import struct
import subprocess
import tempfile

# A name, and the suite of the distribution that has it; none: whatever the host's own lists say.
SUITES = {"stable": None, "backports": "bookworm-backports", "oldest": "bullseye"}

# Headers that are had without an image: the oldest kernel that modules are meant for, and the newest that there is.
HEADERS_ONLY = {"oldest": "bullseye", "newest": "sid"}

DEFAULT_MIRROR = "http://deb.debian.org/debian"  # where the host's sources name none of Debian
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
APT_LIMIT_S = 300  # for one package


class Unavailable(Exception):
    """It can't be had on this machine; the words say why."""


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Kernel:
    """An unpacked image."""

    def __init__(self, folder):
        self.folder = folder
        self.modules = os.path.join(folder, "lib/modules")
        self.version = os.listdir(self.modules)[0]
        self.packed_image = self.file("vmlinuz")
        self.plain_image = os.path.join(os.path.dirname(self.packed_image), "vmlinux-" + self.version)

    def file(self, name):
        """In /boot, or from Linux 7 on among its modules."""
        path = os.path.join(self.folder, "boot", f"{name}-{self.version}")
        return path if os.path.exists(path) else os.path.join(self.modules, self.version, name)

    @property
    def image(self):
        return self.plain_image if os.path.exists(self.plain_image) else self.packed_image

    def unpack_image(self):
        """Makes the plain image, which takes a guest many times longer. Where that can't be, guests do it themselves."""
        if os.path.exists(self.plain_image) or not self.is_started_plain():
            return
        with open(self.packed_image, "rb") as file:
            plain = payload_of(file.read())
        if plain:
            with open(self.plain_image + ".new", "wb") as file:
                file.write(plain)
            os.rename(self.plain_image + ".new", self.plain_image)

    def is_started_plain(self):
        """Has it the entry at which QEMU starts a plain image (PVH)?"""
        with open(self.file("config"), encoding="utf-8") as file:
            return "CONFIG_PVH=y\n" in file.read()

    def modules_for(self, names):
        """Paths, in the order in which they can be loaded."""
        paths = []
        for name in names:
            for line in output_of("modprobe", "-d", self.folder, "-S", self.version, "--show-depends", name).splitlines():
                kind, path = line.split()[:2]
                if kind == "insmod" and path not in paths:
                    paths.append(path)
        return paths


def payload_of(image):
    """What a bzImage unpacks at its start, by the fields of its header (the kernel's boot protocol); None: not packed by xz."""
    if image[0x202:0x206] != b"HdrS":
        return None
    offset, length = struct.unpack_from("<II", image, 0x248)
    begin = (image[0x1F1] + 1) * 512 + offset
    with contextlib.suppress(lzma.LZMAError):
        plain = lzma.LZMADecompressor().decompress(image[begin:begin + length])  # its size follows
        if plain.startswith(b"\x7fELF"):
            return plain
    return None


class Packages:
    """apt, asked by whoever runs this and without a trace on the host."""

    def __init__(self, folder, suite, say):
        self.folder = os.path.join(folder, "apt")
        self.suite = suite
        self.say = say
        self.own_lists = False
        self.options = ["-o", "APT::Sandbox::User=", "-o", "Acquire::Languages=none"]
        if suite:
            self.use_own_lists()

    def use_own_lists(self):
        lists = os.path.join(self.folder, "lists")
        os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
        if self.suite:
            sources = os.path.join(self.folder, "sources.list")
            signed = f"[signed-by={KEYRING}] " if os.path.exists(KEYRING) else ""
            line = f"deb {signed}{self.mirror()} {self.suite} main\n"
            with open(sources, "w", encoding="utf-8") as file:
                file.write(line)
            self.options += ["-o", "Dir::Etc::sourcelist=" + sources, "-o", "Dir::Etc::sourceparts=-"]
        self.options += ["-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]
        self.own_lists = True
        self.say(f"fetching the package lists of {self.suite or 'this system'}")
        self.get("update")

    @staticmethod
    def debian_site(*options):
        """As the lists have it that apt finds with OPTIONS; None where there are none of Debian."""
        for line in output_of("apt-get", *options, "indextargets", "--format", "$(LABEL)|$(SITE)").splitlines():
            label, _, site = line.partition("|")
            if label == "Debian":
                return site
        return None

    def mirror(self):
        """That of the host's own Debian packages, by its own sources: perhaps the only one that it reaches."""
        site = self.debian_site()
        if site:
            return site
        with tempfile.TemporaryDirectory(dir=self.folder) as lists:  # a fresh system has none
            options = [*self.options, "-o", "Dir::State::lists=" + lists]
            os.mkdir(os.path.join(lists, "partial"))
            with contextlib.suppress(Unavailable):  # one source among many
                self.get("-o", "Dir::State::lists=" + lists, "update")
            return self.debian_site(*options) or DEFAULT_MIRROR

    def get(self, *words, cwd=None):
        try:
            done = subprocess.run(["apt-get", "-q", *self.options, *words], cwd=cwd, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False, timeout=APT_LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"apt-get {' '.join(words)} took more than {APT_LIMIT_S} s") from error
        if done.returncode != 0:
            raise Unavailable(f"apt-get {' '.join(words)} failed:\n{done.stdout}")

    def matching(self, package, pattern):
        """The packages that PACKAGE depends on and whose names match PATTERN."""
        done = subprocess.run(["apt-cache", *self.options, "depends", package], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return [name for name in re.findall(r"Depends: (\S+)", done.stdout) if re.fullmatch(pattern, name)]

    def depends(self, package, pattern):
        """The same; there must be some."""
        while True:
            names = self.matching(package, pattern)
            if names:
                return names
            if self.own_lists:
                raise Unavailable(f"the package lists do not know {package}")
            self.use_own_lists()  # the host's are old, or it has none

    def unpack(self, names, tree):
        """All of them into TREE."""
        with tempfile.TemporaryDirectory(dir=os.path.dirname(tree)) as work:
            self.say("fetching " + " ".join(names))
            try:
                self.get("download", *names, cwd=work)
            except Unavailable:
                if self.own_lists:
                    raise
                self.use_own_lists()
                self.get("download", *names, cwd=work)
            for archive in sorted(os.listdir(work)):
                subprocess.run(["dpkg", "-x", os.path.join(work, archive), tree], check=True)


def cache(name):
    top = os.environ.get("PERFTEST_VM_CACHE") or os.path.expanduser("~/.cache/perftest-vm")
    folder = os.path.join(top, name)
    os.makedirs(folder, exist_ok=True)
    return folder


@contextlib.contextmanager
def only_one(folder):
    """Several labs may start at once; one fetches, the others wait and find it there."""
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def newest(folder, kind, part):
    """The newest of the unpacked packages linux-KIND-*, by the age of a part of them; None: there is none."""
    entries = [entry for entry in os.listdir(folder) if entry.startswith(f"linux-{kind}-")]
    if not entries:
        return None
    return os.path.join(folder, max(entries, key=lambda entry: os.stat(os.path.join(folder, entry, part)).st_mtime))


def newest_image(folder):
    return newest(folder, "image", "lib/modules")


def fetch_image(folder, suite, say):
    packages = Packages(folder, suite, say)
    image = packages.depends("linux-image-amd64", r"linux-image-\d.*")[0]
    if os.path.isdir(os.path.join(folder, image)):
        return
    with tempfile.TemporaryDirectory(dir=folder) as work:
        tree = os.path.join(work, "tree")
        # from Linux 7 on the kernel and its modules are packages of their own
        packages.unpack([image, *packages.matching(image, r"linux-(base|binary|modules)-\d.*")], tree)
        if not os.path.exists(os.path.join(tree, "lib")):  # from Debian 13 on packages have no /lib, a link of the system's
            os.symlink("usr/lib", os.path.join(tree, "lib"))
        subprocess.run(["depmod", "-b", tree, Kernel(tree).version], check=True)
        os.chmod(tree, 0o755)
        os.rename(tree, os.path.join(folder, image))


def find_kernel(name, refresh, say):
    folder = cache(name)
    with only_one(folder):
        if refresh or not newest_image(folder):
            fetch_image(folder, SUITES[name], say)
        kernel = Kernel(newest_image(folder))
        kernel.unpack_image()
        return kernel


def fetch_headers(package, folder, packages):
    final = os.path.join(folder, package)
    try:
        parts = packages.depends(package, r"linux-(headers|kbuild)-.*")
    except Unavailable as error:
        raise Unavailable(f"{error}, whose image is in the cache; take a newer one: tests/vm/lab --refresh") from error
    with tempfile.TemporaryDirectory(dir=folder) as work:
        tree = os.path.join(work, "tree")
        packages.unpack([package, *parts], tree)
        sources = os.path.join(tree, "usr/src", package)
        # they expect to be installed
        with open(os.path.join(sources, "Makefile"), "r+", encoding="utf-8") as file:
            text = file.read().replace("include /usr/src/", f"include {final}/usr/src/")
            text = text.replace("KBUILD_OUTPUT=/usr/src/", f"KBUILD_OUTPUT={final}/usr/src/")
            file.seek(0)
            file.write(text)
        # With the kernel's types at hand the build would call for pahole, to describe those of the module.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(sources, "vmlinux"))
        os.chmod(tree, 0o755)
        os.rename(tree, final)


def find_headers_only(name, refresh, say):
    folder = cache(name)
    with only_one(folder):
        if refresh or not newest(folder, "headers", "usr/src"):
            packages = Packages(folder, HEADERS_ONLY[name], say)
            package = packages.depends("linux-headers-amd64", r"linux-headers-\d.*")[0]
            if not os.path.isdir(os.path.join(folder, package)):
                fetch_headers(package, folder, packages)
        found = newest(folder, "headers", "usr/src")
        return os.path.join(found, "usr/src", os.path.basename(found))


def find_headers(name, kernel, say):
    """The folder that a module for KERNEL is built in: make -C there M=..."""
    folder = cache(name)
    package = "linux-headers-" + kernel.version
    with only_one(folder):
        if not os.path.isdir(os.path.join(folder, package)):
            fetch_headers(package, folder, Packages(folder, SUITES[name], say))
    return os.path.join(folder, package, "usr/src", package)
