"""Prints the events that httpx-sse finds in event streams, as JSON.

usage: parse_event_streams.py FILE

The file is a list of streams, each a list of chunks in base64. Where httpx-sse does not follow the standard (WHATWG HTML, section 9.2), or leaves
something to its caller, that is done here:

- It takes text. UTF-8, replacement characters and the byte order mark are Python's matter, as the bytes are a client's.
- It returns an event without data if there was a type, an ID or a delay. By the standard there is none.
- It has no type for an event without one. By the standard that is "message".
- It accepts as a delay whatever int() does: signs, blanks, underscores and other digits. By the standard these are ASCII digits alone. Greater
  numbers than a duration has are the greatest.
- It waits for the byte after a carriage return until its end is noted, and then also takes a line that has not ended.
"""

import base64
import codecs
import json
import re
import sys

from httpx_sse._decoders import SSEDecoder, SSELineDecoder


def parse(chunks):
    text = codecs.getincrementaldecoder("utf-8-sig")("replace")
    lines = SSELineDecoder()
    decoder = SSEDecoder()
    events = []
    retry = None

    def take(line):
        nonlocal retry
        has_data = bool(decoder._data)
        event = decoder.decode(line)
        if decoder._retry is not None and re.fullmatch("retry: ?[0-9]+", line, re.ASCII):
            retry = min(decoder._retry, 2**63 - 1)
        if event is not None and has_data:
            events.append({"event": event.event or "message", "data": event.data, "id": event.id})

    for chunk in chunks:
        # Empty text does not occur, as clients filter it.
        if chunk := text.decode(base64.b64decode(chunk)):
            for line in lines.decode(chunk):
                take(line)
    if lines.trailing_cr:
        for line in lines.flush():
            take(line)
    return {"events": events, "retry": retry}


sys.set_int_max_str_digits(0)
with open(sys.argv[1]) as file:
    print(json.dumps([parse(chunks) for chunks in json.load(file)]))
