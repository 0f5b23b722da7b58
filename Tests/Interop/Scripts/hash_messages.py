#!/usr/bin/env python3
"""Prints the hashes of pseudo-random messages by hashlib as JSON: an array of [length, SHA-256, SHA-512].

    hash_messages.py seed count

The first messages have the lengths from 0 on, and the last ones are longer. The bytes are the lowest ones of the numbers of SplitMix64.
"""
import hashlib
import json
import sys

MASK = (1 << 64) - 1


def numbers(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        value = state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        yield value ^ (value >> 31)


seed, count = int(sys.argv[1]), int(sys.argv[2])
source = numbers(seed)
result = []
for length in list(range(count)) + [count * 7, count * 8 + 1]:
    message = bytes(next(source) & 0xFF for _ in range(length))
    result.append([str(length), hashlib.sha256(message).hexdigest(), hashlib.sha512(message).hexdigest()])
print(json.dumps(result))
