# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An instance of `perftest matrix` that lies: it joins, and then sends what cannot be true.

usage: matrix_liar.py PORT RANK LIE PATTERN PROGRAM [OPTIONS]
"""
import socket
import struct
import sys
import time

JOIN, ALIVE, LISTENS, ENDED = 1, 4, 6, 9


def message(kind, payload=b"", version=5):
    return b"PFTM" + struct.pack(">HHI", version, kind, len(payload)) + payload


def text(words):
    return struct.pack(">H", len(words)) + words.encode()


def run_of(words):
    run = 0xCBF29CE484222325
    for word in [*words, ""]:  # no job
        for byte in word.encode() + b"\0":
            run = (run ^ byte) * 0x100000001B3 % 2**64
    return run


def ended(value, sendings=1.0):
    return message(ENDED, struct.pack(">I", 0) + text("") + b"\0\0" + struct.pack(">dddd", value, 0, 0, sendings) + struct.pack(">I", 0))


LIES = {
    "unasked": 2 * message(LISTENS, struct.pack(">IH", 0, 9)),
    "garbage": b"garbage",
    "infinite": ended(float("inf")),
    "endless": ended(1.0, float("inf")),  # what it sent was sent again without end
    "long": b"PFTM" + struct.pack(">HHI", 5, ENDED, 2**32 - 1),
    "mute": b"",  # it is alive, and does not what it is told
    "newer": b"",  # it is of another version
}


def main():
    port, rank, lie = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for _ in range(600):
        try:
            peer = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    join = struct.pack(">IQ", rank, run_of(sys.argv[4:])) + text("liar") + text("")
    peer.sendall(message(JOIN, join, version=6 if lie == "newer" else 5))
    peer.settimeout(60)
    if lie == "newer":
        print(peer.recv(4096, socket.MSG_WAITALL))
        return
    peer.recv(24, socket.MSG_WAITALL)  # ALIVE, WELCOME
    peer.sendall(LIES[lie])
    while peer.recv(4096):
        if lie == "mute":
            peer.sendall(message(ALIVE))


try:
    main()
except ConnectionResetError:
    pass
