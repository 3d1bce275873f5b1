#!/usr/bin/env python3
"""Answers challenges as a hardware key does, for `--challenge-response`.

    responder.py SECRET             answers HMAC-SHA1 under the secret, given as hex
    responder.py CHALLENGE=ANSWER…  knows these answers only, all as hex

Reads one challenge as hex from standard input, prints the answer as hex. A file named by
RESPONDER_LOG gets a line for each challenge.
"""

import hmac
import os
import sys


def answer(words: list[str], challenge: bytes) -> bytes:
    known = dict(word.split("=") for word in words if "=" in word)
    if known:
        return bytes.fromhex(known[challenge.hex()])
    return hmac.digest(bytes.fromhex(words[0]), challenge, "sha1")


def main():
    challenge = bytes.fromhex(sys.stdin.readline())
    if log := os.environ.get("RESPONDER_LOG"):
        with open(log, "a") as file:
            file.write(challenge.hex() + "\n")
    print(answer(sys.argv[1:], challenge).hex())


if __name__ == "__main__":
    main()
