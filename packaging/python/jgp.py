"""Reads the columns of a jobgait profile, with the standard library of Python 3.6. header, epochs, blocks, footer =
jgp.read(PATH); a block is (slots, columns): columns[i] has, of header["columns"][i], the value at the END of these
slots, cumulative unless a "gauge", None where there is none. Slot n ends (n+1)*step_ns after base_ns."""
import contextlib, functools, importlib, itertools, json, pathlib, struct
CRC = [functools.reduce(lambda c, _: c >> 1 ^ (0x82F63B78 if c & 1 else 0), range(8), n) for n in range(256)]
def frames(data):
    at = data.find(b"\x8aJGP")
    while 0 <= at <= len(data) - 13:
        kind, size, want = struct.unpack_from("<BII", data, at + 4)
        checked = data[at + 4:at + 9] + data[at + 13:at + 13 + size]
        crc = functools.reduce(lambda c, b: c >> 8 ^ CRC[(c ^ b) & 255], checked, 0xFFFFFFFF)
        if len(checked) == 5 + size and crc ^ 0xFFFFFFFF == want:
            yield chr(kind), checked[5:]
            at += 12 + size
        at = data.find(b"\x8aJGP", at + 1)

def uvarint(src):
    b = next(src)
    return b if b < 128 else b & 127 | uvarint(src) << 7
def signed(u):
    return u >> 1 ^ -(u & 1)
def plain(src, n, way, mean):  # differences of the first or second order
    steps = [signed(uvarint(src)) for _ in range(n)]
    return itertools.accumulate(steps) if way == 1 else steps

@functools.lru_cache(None)
def table(i):  # of a geometric distribution: symbol, frequency, offset of 4096 states, and the escape
    mean = ((9 + 2 * (i & 3)) << (i >> 2)) / 2048
    n = min(63, 3 + int(9 * mean))
    w = list(itertools.accumulate([1.0] * n, lambda a, _: a * (mean / (1 + mean))))
    total = functools.reduce(lambda a, b: a + b, w)
    freq = [1 + int(v * (4088 - n) / total) for v in w] + [8]
    freq[0] += 4096 - sum(freq)
    return [(k, f, j) for k, f in enumerate(freq) for j in range(f)], n

class Packed:  # what prediction leaves, in an entropy coder: see agent/profile/steps.go, entropy.go
    def __init__(self, stream):
        self.words, self.state = struct.iter_unpack("<I", stream[8:]), int.from_bytes(stream[:8], "little")
    def bits(self, low, n=0, freq=1, offset=0):
        k = min(low, 16)
        out, self.state = self.state & (1 << k) - 1, freq * (self.state >> n + k) + offset
        self.state = self.state if self.state >> 31 else self.state << 32 | next(self.words)[0]
        return out | self.bits(low - k) << k if low > k else out
    def number(self, mean):
        n, low = max(mean, 4).bit_length() - 3, max(0, mean.bit_length() - 12)
        states, escape = table((n - low) * 4 | max(mean, 4) >> n & 3)
        top, freq, offset = states[self.state >> min(low, 16) & 4095]
        rest = self.bits(low, 12, freq, offset)
        size = self.bits(7) - 1 if top == escape else 0  # behind an escape: the length and the other bits
        return (top if top < escape else 1 << size | self.bits(size) if size >= 0 else 0) << low | rest
    def steps(self, n, way, mean):
        level = since = 0
        for _ in range(n):
            u = self.number(mean)
            step = u if way == 2 else signed(u) + (level + 128 >> 8)
            since = 1 if way == 1 or since == 0 or u > (mean >> 8) + 8 else min(since + 1, 5)
            level += (step << 8) - level >> (0, 0, 1, 2, 2, 3)[since]
            u = min(u, (mean >> 7) + 2, 1 << 48)
            mean += (u << 6) - (mean >> 4) if u + 1 << 14 >= mean else -(mean >> 2)
            yield step

def column(steps, mode, there, first, quantum=1, change=0, mean=0):
    sums = [0] * sum(there)
    if mode & 20 == 4:
        inner = itertools.accumulate(steps(len(sums) - 2, mode & 3, (9 + 2 * (mean & 3)) << (mean >> 2) >> 1))
        sums[1:] = [min(s * quantum, change) if quantum > 1 else s for s in inner] + [change]
    return [first + sums[k - 1] if here else None for here, k in zip(there, itertools.accumulate(there))]

def unzstd(_, body):
    for name in "compression.zstd", "zstandard":
        with contextlib.suppress(ImportError):
            return importlib.import_module(name).decompress(body)
    raise ImportError("a block is compressed: needs Python 3.14, or the package zstandard")
def block(header, payload):
    src, heads = iter(payload), []
    flags, first, n = next(src), signed(uvarint(src)), uvarint(src)
    every = uvarint(src) if flags & 4 else 1
    slots = sorted({0, n - 1} | set(range(every - 1, n, every)))
    _ = [uvarint(src) for _ in range(7)]  # clocks, what was lost, the agent's time, number of columns
    for _ in header["columns"]:
        mode = next(src)
        bitmap = [next(src) for _ in range(len(slots) + 7 >> 3)] if mode & 8 else [255] * (mode >> 2 & 1) * len(slots)
        bits = int.from_bytes(bitmap, "little")
        heads.append([mode, [bits >> i & 1 for i in range(len(slots))], signed(uvarint(src)) if mode & 4 else 0])
        heads[-1] += [uvarint(src), signed(uvarint(src)), next(src)] if mode & 20 == 4 else []
    _ = [uvarint(src) for _ in heads if flags & 2], [f(src) for f in (uvarint, next, next) if flags & 1]
    _ = [[next(src) for _ in range(8)] + [uvarint(src), uvarint(src)] for _ in range(uvarint(src))]  # pages
    body = iter(unzstd(uvarint(src), bytes(src)) if flags >> 3 == 2 else bytes(src))
    turns = itertools.cycle([functools.partial(plain, body)] if flags >> 3 else  # packed: two streams, by turns
                            [Packed(bytes(itertools.islice(body, n))).steps for n in (uvarint(body), None)])
    return [first + s for s in slots], [column(next(turns) if h[0] & 20 == 4 else None, *h) for h in heads]

def read(path):
    found = list(frames(pathlib.Path(path).read_bytes()))
    header = json.loads(found[0][1].decode()) if found and found[0][0] == "H" else {}
    if header.get("version") != 1:
        raise ValueError("%s is no jobgait profile of version 1" % path)
    epochs, footers = ([json.loads(p.decode()) for k, p in found if k == kind] for kind in "EF")
    return header, epochs, [block(header, p) for k, p in found if k == "B"], (footers + [None])[0]
