#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The messages of cxi_send_bw (src/cxi/control/wire.h) and of HPE's program, written a second time from their description, and peers that do not keep to them.
tests/fuzz/make_seeds makes seeds of them.

usage: cxi_wire.py client PORT CASE    connects, says the case's words, and prints the refusal that comes back
       cxi_wire.py server PORT CASE    listens, says the case's words to the first client, and waits until it is gone
"""
import socket
import struct
import sys

HELLO, AGREE, REFUSAL, ABORT, ALIVE, ADDRESS, BARRIER, RESULT, CHECKED, WAIT = 1, 2, 3, 4, 5, 6, 7, 9, 16, 17


def frame(kind, payload=b"", version=6, magic=b"PFXB", length=None):
    return magic + struct.pack(">HHI", version, kind, len(payload) if length is None else length) + payload


def text(words):
    return struct.pack(">H", len(words)) + words


def hello(options=b"size=64\niters=2\n", transport=b"libfabric tcp", kind=HELLO, gathers=0, **more):
    return frame(kind, text(transport) + bytes(16) + struct.pack(">I", gathers) + text(options), **more)


def agreement(**more):
    return hello(b"", kind=AGREE, **more)


def address(data=b"\x02\0\0\x50\x7f\0\0\1" + bytes(8), rx=b"System", provenance=b""):
    return frame(ADDRESS, text(data) + text(b"System") + text(rx) + text(b"") + text(b"7.0") + text(provenance))


def barrier(number):
    return frame(BARRIER, struct.pack(">I", number))


def result(started=2, finished=2, elapsed=1000):
    return frame(RESULT, struct.pack(">QQQ", started, finished, elapsed))


def wait(missing):
    return frame(WAIT, struct.pack(">I", missing))


def checked(messages=0, wrong=0):
    return frame(CHECKED, struct.pack(">QQ", messages, wrong))


CLIENTS = {
    "browser": b"GET / HTTP/1.1\r\n\r\n",
    "poster": b"POST / HTTP/1.1\r\n\r\n",
    # these greet, and are the test's client: it ends with them
    "wrong_version": hello(version=1),
    "wrong_transport": hello(transport=b"libcxi"),
    "too_long": hello(length=1 << 20),
    "no_hello": address(),
    "no_options": frame(HELLO, text(b"libfabric tcp") + bytes(20)),
    "no_flag": hello(gathers=2),
    "short_text": frame(HELLO, struct.pack(">H", 99) + b"cxi"),
    "not_printable": hello(b"size=6\xff4\n"),
    "bad_option": hello(b"size=0\n"),
    "foreign_option": hello(b"out_json_file=/tmp/x\n"),
    "too_large": hello(b"size=4294967295\nlist-size=16382\nbuf-sz=70368744177664\n"),
    "bad_address": hello() + address(b"nowhere"),
    "no_address": hello() + barrier(0),
    "early_result": hello() + address() + result(),
    "other_barrier": hello() + address() + barrier(7),
    "more_finished": hello() + address() + barrier(0) + barrier(1) + result(1, 2),
    "too_few": hello() + address() + barrier(0) + barrier(1) + result(0, 0, 0) + checked(),
    "impossible_time": hello(b"size=64\nduration=1\n") + address() + barrier(0) + barrier(1) + result(0, 0, 1 << 62),
    "unanswered": hello(b"size=64\nduration=1\n") + address() + barrier(0) + barrier(1) + result(5, 5, 10**9),
    "sent_nothing": hello() + address() + barrier(0) + barrier(1) + result(),
    "provenance": hello() + address(provenance=b'{"device":{"name":{"a":1},"more":2},"system":[1],"build":{"commit":"\\u001b]0;"}}') + barrier(0),
    "long_provenance": hello() + address(provenance=b"{" * 2048) + barrier(0),
}

SERVERS = {
    "silent": b"",
    "browser": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "wrong_version": agreement(version=9),
    "wrong_transport": agreement(transport=b"libcxi"),
    "refuses": frame(REFUSAL, text(b"there is no room")),
    "closes": None,
    "barrier_first": agreement() + barrier(0),
    "no_barrier": agreement() + address(),
    "waits_early": agreement() + wait(3),
}


# --- HPE's program (src/cxi/control/hpe.h) ---

def message(payload=b"", length=None):
    return struct.pack("<I", len(payload) if length is None else length) + payload


def greeting(name=b"cxi_send_bw\0", version=b"2.4.0\0"):
    return message(name) + message(version)


def block(iters=2, duration=0, entries=4, flags=0, least=64, most=64, room=1 << 32, align=64, traits=2):
    own = struct.pack("<IIHbBIQ", 1, 0, 49194, -1, 0, 0, 0)
    return (struct.pack("<IBQQQIHH", 0, 0, iters, 0, 0, duration, entries, flags) +
            struct.pack("<QQQQQ", least, most, room, 0, align) + bytes([traits, 0, 0, 0]) + own + bytes(24))


def begun(nic=18, pid=1, **more):
    return greeting() + message(block(**more)) + message(struct.pack("<II", nic, pid))


def sends(elapsed=1000, count=8):
    return message(struct.pack("<QQ", elapsed, count))


HPE_OTHERS = {
    "hpe_other_name": greeting(name=b"cxi_send_lat\0"),
    "hpe_long_name": message(b"cxi_send_bw_and_more\0"),
    "hpe_no_version": greeting(version=b"two\0"),
    "hpe_open_version": greeting(version=b"2.4"),
    "hpe_long_version": greeting(version=b"2.4." + bytes([48] * 99) + b"\0"),
    "hpe_too_long": message(b"", length=1 << 20),
}

HPE_CLIENTS = {
    "hpe_short_options": greeting() + message(block()[:-1]),
    "hpe_long_options": greeting() + message(b"", length=1021),
    "hpe_no_list": greeting() + message(block(entries=0)),
    "hpe_long_list": greeting() + message(block(entries=16383)),
    "hpe_no_size": greeting() + message(block(least=0)),
    "hpe_odd_range": greeting() + message(block(least=3, most=5)),
    "hpe_iterations": greeting() + message(block(iters=1 << 63)),
    "hpe_no_room": greeting() + message(block(most=1 << 16, least=1 << 16, room=4096)),
    "hpe_emulation": greeting() + message(block(flags=8)),
    "hpe_pages": greeting() + message(block(flags=0x30)),
    "hpe_time": greeting() + message(block(duration=5000)),
    "hpe_cleanup": greeting() + message(block(duration=1, flags=1, traits=8, most=128)),
    "hpe_bad_nic": begun(nic=1 << 20),
    "hpe_bad_pid": begun(pid=512),
    "hpe_no_barrier": begun() + message(b"ready"),
    "hpe_leaves": begun() + message(),
    "hpe_sent_nothing": begun() + 3 * message() + sends(),
    "hpe_too_few": begun() + 3 * message() + sends(count=4),
    "hpe_half_a_list": begun() + 3 * message() + sends(count=7),
    "hpe_no_time": begun() + 3 * message() + sends(elapsed=0),
    "hpe_all_time": begun() + 3 * message() + sends(elapsed=(1 << 64) - 1),
    "hpe_unanswered": begun(duration=1) + 3 * message() + sends(elapsed=1000000, count=400),
    "hpe_short_result": begun() + 3 * message() + message(bytes(8)),
}

HPE_SERVERS = {
    "hpe_only_name": message(b"cxi_send_bw\0"),
    "hpe_lat": message(b"cxi_send_lat\0"),
    "hpe_old": greeting(version=b"2.2.0\0"),
    "hpe_mark": greeting(version=b"2.4.0 of perftest\0"),
    "hpe_refuses": greeting() + message(block()) + message(struct.pack("<II", 18, 0)),
    "hpe_short_options": greeting() + message(b"no"),
    "hpe_bad_nic": begun(nic=1 << 31),
    "hpe_sends": begun() + 3 * message() + sends(),
}
# Those that leave with their last word.
LEAVE = ("hpe_leaves", "hpe_refuses", "hpe_old")


def split(peer, words):
    """One byte at a time, up to where the other side has had enough."""
    try:
        for byte in words:
            peer.sendall(bytes([byte]))
    except (BrokenPipeError, ConnectionResetError):
        pass


def listen(port):
    listener = socket.create_server(("127.0.0.1", port))
    peer, _ = listener.accept()
    return peer


def hear(peer):
    """All that comes until the peer closes; the words of a refusal are printed."""
    heard = b""
    try:
        while chunk := peer.recv(65536):
            heard += chunk
    except ConnectionResetError:
        pass
    heard = heard[heard.find(b"PFXB"):]  # what precedes is for HPE's program
    while heard[:4] == b"PFXB" and len(heard) >= 12:
        _, kind, length = struct.unpack(">HHI", heard[4:12])
        if kind in (REFUSAL, ABORT):
            print(heard[14:12 + length].decode("ascii"))
        heard = heard[12 + length:]


def main():
    role, port, case = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if role == "client":
        peer = socket.create_connection(("127.0.0.1", port), timeout=50)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        split(peer, (CLIENTS | HPE_OTHERS | HPE_CLIENTS)[case])
    else:
        peer = listen(port)
        peer.settimeout(50)
        words = (SERVERS | HPE_SERVERS)[case]
        if words is None:
            return
        split(peer, words)
    if case in LEAVE:
        peer.shutdown(socket.SHUT_WR)
    hear(peer)


if __name__ == "__main__":
    main()
