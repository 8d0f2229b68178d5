"""Unlike tasks in random order and of random length: nothing repeats."""
import hashlib, random, re, zlib

draw = random.Random(7)
text = bytes(draw.getrandbits(6) + 32 for _ in range(400000))
tasks = [lambda n: zlib.compress(text[:n]), lambda n: hashlib.sha512(text[:n] * 8).digest(),
         lambda n: sorted(text[:n]), lambda n: re.findall(rb"[A-F][a-f]+.[0-9]", text[:n]),
         lambda n: sum(i * i for i in range(n))]
while True:
    draw.choice(tasks)(int(400000 * draw.random() ** 3))
