#!/usr/bin/env python3
"""Reads a multipart body with Python's own parser, and prints its parts as JSON.

    parse_multipart.py content-type file
"""
import base64
import email
import email.policy
import json
import sys

content_type, path = sys.argv[1:]
with open(path, "rb") as file:
    body = file.read()
# ISO 8859-1 has a character for each byte, so that nothing is lost on the way through the parser, which wants text.
text = f"Content-Type: {content_type}\r\n\r\n" + body.decode("latin-1")
message = email.message_from_string(text, policy=email.policy.compat32)


def utf8(value):
    return value if value is None else value.encode("latin-1").decode("utf-8")


def described(part):
    return {
        "fields": [[name, utf8(value)] for name, value in part.items()],
        "name": utf8(part.get_param("name", header="content-disposition")),
        "fileName": utf8(part.get_param("filename", header="content-disposition")),
        "data": base64.b64encode(part.get_payload().encode("latin-1")).decode(),
    }


parts = message.get_payload()
json.dump(
    {
        "defects": [type(defect).__name__ for item in message.walk() for defect in item.defects],
        "parts": [described(part) for part in parts],
        "preamble": message.preamble,
        "epilogue": message.epilogue,
    },
    sys.stdout,
)
