# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The user's terminal, which shows one of two guests at a time and gives it what is typed."""
import os
import selectors
import shutil
import socket
import sys
import termios
import time
import tty

SWITCH = b"\x1d"  # Ctrl-], as of telnet
END_OF_INPUT = b"\x04"
KEPT = 65536  # bytes of a guest that is not shown


class Line:
    """One guest's serial line: what it has printed that nobody has seen, and what was typed before there was a shell to read it."""

    def __init__(self, guest):
        self.guest = guest
        self.has_shell = False
        self.unseen = self.typed = b""
        self.socket = socket.socket(socket.AF_UNIX)
        while guest.process.poll() is None:
            try:
                self.socket.connect(guest.line)
                return
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)  # QEMU has not made it yet

    def type(self, data):
        if self.has_shell:
            self.socket.sendall(data)
        else:
            self.typed += data

    def read(self):
        """Nothing: the guest is off."""
        data = self.socket.recv(65536)
        if data and not self.has_shell:
            self.has_shell = True
            self.type(self.typed)
        return data


def size():
    """What a shell there must know: its variables."""
    columns, rows = shutil.get_terminal_size()
    return {"rows": str(rows), "columns": str(columns), "term": os.environ.get("TERM", "dumb")}


def connect(guests):
    """Until one of the guests is off, which is returned: the end of one shell is that of both."""
    lines = [Line(guest) for guest in guests]
    for guest in guests:
        if guest.process.poll() is not None:
            return guest
    shown = 0
    source = sys.stdin.fileno()
    before = termios.tcgetattr(source) if os.isatty(source) else None
    try:
        if before:
            tty.setraw(source)
        with selectors.SelectSelector() as ready:  # which can read a file, too
            ready.register(source, selectors.EVENT_READ)
            for line in lines:
                ready.register(line.socket, selectors.EVENT_READ, line)
            while True:
                for key, _ in ready.select():
                    if not key.data:
                        typed = os.read(source, 4096)
                        if not typed:
                            ready.unregister(source)
                        for number, part in enumerate((typed or END_OF_INPUT).split(SWITCH)):
                            if number:
                                shown = 1 - shown
                                show(f"\r\n[host {shown}]\r\n".encode() + lines[shown].unseen)
                                lines[shown].unseen = b""
                            lines[shown].type(part)
                        continue
                    last = key.data
                    printed = last.read()
                    if not printed:
                        return last.guest
                    if last is lines[shown]:
                        show(printed)
                    else:
                        last.unseen = (last.unseen + printed)[-KEPT:]
    except (BrokenPipeError, ConnectionResetError):
        return lines[shown].guest
    finally:
        if before:
            termios.tcsetattr(source, termios.TCSADRAIN, before)
        for line in lines:
            line.socket.close()


def show(data):
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
