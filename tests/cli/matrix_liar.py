# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An instance of `perftest matrix` that lies: it joins, and then sends what cannot be true.

usage: matrix_liar.py PORT RANK LIE PATTERN PROGRAM [OPTIONS]
"""
import socket
import struct
import sys
import time

JOIN, ALIVE, SERVE, LISTENS, CALL, STOP, ENDED, READY, START = 1, 5, 16, 17, 18, 19, 9, 22, 23


def message(kind, payload=b"", version=6):
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
    "long": b"PFTM" + struct.pack(">HHI", 6, ENDED, 2**32 - 1),
    "mute": b"",  # it is alive, and does not what it is told
    "newer": b"",  # it is of another version
    "late": b"",  # it begins shortly before the controller would give up, and dies behind that
}


def be_late(peer):
    beat, orders, answers = time.monotonic(), b"", []
    peer.settimeout(0.2)
    while True:
        try:
            received = peer.recv(4096)
            if not received:
                return
            orders += received
        except TimeoutError:
            pass
        while len(orders) >= 12 and len(orders) >= 12 + struct.unpack(">I", orders[8:12])[0]:
            kind, length = struct.unpack(">HI", orders[6:12])
            job, orders = orders[12:16], orders[12 + length :]
            end = message(ENDED, job + text("late") + bytes(2 + 4 * 8 + 4))
            delay, answer = {
                SERVE: (25, message(LISTENS, job + b"\0\x09")),
                CALL: (8, message(READY, job)),
                START: (0, end),
                STOP: (0, end),
            }.get(kind, (0, b""))
            answers.append((time.monotonic() + delay, answer))
        due = [answer for answer in answers if answer[0] <= time.monotonic()]
        answers = [answer for answer in answers if answer not in due]
        peer.sendall(b"".join(answer for _, answer in due))
        if any(answer[6:8] == ENDED.to_bytes(2, "big") for _, answer in due):
            return
        if time.monotonic() >= beat:
            peer.sendall(message(ALIVE))
            beat = time.monotonic() + 1


def main():
    port, rank, lie = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    for _ in range(600):
        try:
            peer = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    join = struct.pack(">IQ", rank, run_of(sys.argv[4:])) + text("liar") + text("")
    peer.sendall(message(JOIN, join, version=7 if lie == "newer" else 6))
    peer.settimeout(60)
    if lie == "newer":
        print(peer.recv(4096, socket.MSG_WAITALL))
        return
    peer.recv(24, socket.MSG_WAITALL)  # ALIVE, WELCOME
    peer.sendall(LIES[lie])
    if lie == "late":
        be_late(peer)
        return
    while peer.recv(4096):
        if lie == "mute":
            peer.sendall(message(ALIVE))


try:
    main()
except ConnectionResetError:
    pass
