# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The native messages of docs/wire.md as bytes, written a second time: for native_peer and live_fuzz."""
import os
import struct

VERSION = 9
TYPES = {"hello": 1, "agree": 2, "refuse": 3, "abort": 4, "heartbeat": 5, "endpoints": 6, "barrier": 7, "done": 8, "result": 9,
         "vote": 10, "facts": 11, "round": 16, "verdict": 17, "ports": 18, "wait": 19, "samples": 20, "clock": 21}
CLOCK_QUESTIONS = 5
NAMES = {number: name for name, number in TYPES.items()}
HEADER_SIZE = 12
GREETING_SIZE = 16
UNKNOWN = 2**64 - 1
RUN_ID = bytes.fromhex("1b4e28ba2fa141d2883f0016d3cca427")


def greeting(newest=VERSION, oldest=VERSION):
    return b"6.06\0perftest" + bytes([newest, oldest, 0])


def frame(kind, payload=b""):
    number = TYPES[kind] if isinstance(kind, str) else kind
    return b"PFTN" + struct.pack(">HHI", VERSION, number, len(payload)) + payload


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def site(device="soft0", page=4096, uid=None, boot="", folder_id="", folder="/nowhere"):
    """What a side says of its device and host; an empty boot id and folder are not compared."""
    return (text(device) + struct.pack(">BII", device.startswith("soft"), page, os.geteuid() if uid is None else uid) +
            text(boot) + text(folder_id) + text(folder))


def hello(params, program="ib_write_bw", kind="hello", where=None):
    """params: "size=64,qp=2" """
    lines = "".join(line + "\n" for line in params.split(",") if line).encode()
    return frame(kind, text(program) + text("7.0") + text("scripted") + struct.pack(">I", len(lines)) + lines +
                 (site() if where is None else where) + struct.pack(">Q", UNKNOWN) + RUN_ID + text(""))


def endpoint(qpn):
    gid = bytes(10) + b"\xff\xff" + bytes([192, 0, 2, 1])
    return struct.pack(">HIIIQIII", 0, qpn, 7, 0x1234, 0x7f0000001000, 0, 16, 4096) + gid + struct.pack(">BHH", 3, 1, 0)


def endpoints(count=1):
    return frame("endpoints", struct.pack(">IH", count, 55) + b"".join(endpoint(100 + i) for i in range(count)))


def barrier(tag):
    return frame("barrier", struct.pack(">I", tag))


def result(size=65536, iterations=5000, average=1.2e10):
    return frame("result", struct.pack(">QQdddB", size, iterations, average, average, average / max(size, 1), 0) +
                 struct.pack(">4Q", *[UNKNOWN] * 4))


def done(messages=5000, stopped=0):
    return frame("done", struct.pack(">QB", messages, stopped))


def round_of(messages, granule):
    return frame("round", struct.pack(">II", messages, granule))


def ports(*measures):
    """measures: bytes and messages per second of the first port, and of the second."""
    return frame("ports", struct.pack(">4d", *(measures or (1e9, 15000.0, 2e9, 30000.0))))


def wait(missing):
    return frame("wait", struct.pack(">I", missing))


def clock(question=0, error=0):
    """A question or an answer; with values: what the client found."""
    return frame("clock", struct.pack(">IQ", question, error))


def samples(buckets, backward=0, tick=1e-9, least=1000, most=2000, mean=1500):
    """buckets: each an index and the number of samples in it; backward: negative times."""
    count = sum(number for _, number in buckets)
    return frame("samples", struct.pack(">d7QI", tick, least, most, *divmod(count * mean % 2**128, 2**64),
                                        *divmod(count * mean * mean % 2**128, 2**64), backward, len(buckets)) +
                 b"".join(struct.pack(">IQ", index, number) for index, number in buckets))


def verdict(size=65536, count=5000):
    return frame("verdict", struct.pack(">QQQQIQQ", count, count * size, 0, 0, 0, 0, 0))


def abort(reason="enough"):
    return frame("abort", text(reason))
