#!/usr/bin/env python3
"""Reads forms with three parsers, and prints their parts as JSON.

    differential_forms.py file

Each line of the file is a form as JSON: "type", the value of Content-Type, and "body" in base64. The parsers are python-multipart's, werkzeug's, and Python's of mail. A part
has "name", "file", "type" and "data".
"""
import base64
import email
import email.policy
import io
import json
import sys

from python_multipart.multipart import FormParser, parse_options_header
from werkzeug.formparser import MultiPartParser


def part(name, file, type, data):
    return {"name": name, "file": file, "type": type, "data": base64.b64encode(data).decode()}


def by_python_multipart(type, body):
    parts = []
    _, options = parse_options_header(type)
    fields = []

    def on_field(field):
        parts.append(part(field.field_name.decode(), None, None, field.value or b""))

    def on_file(file):
        file.file_object.seek(0)
        parts.append(part(file.field_name.decode(), file.file_name.decode(), None, file.file_object.read()))

    parser = FormParser("multipart/form-data", on_field, on_file, boundary=options[b"boundary"], config={"MAX_MEMORY_FILE_SIZE": 1 << 24})
    parser.write(body)
    parser.finalize()
    return parts


def by_werkzeug(type, body):
    message = email.message_from_string(f"Content-Type: {type}\r\n\r\n", policy=email.policy.compat32)
    boundary = message.get_param("boundary").encode()
    form, files = MultiPartParser().parse(io.BytesIO(body), boundary, len(body))
    parts = [part(name, None, None, value.encode()) for name, values in form.lists() for value in values]
    return parts + [part(name, file.filename, file.content_type, file.read()) for name, values in files.lists() for file in values]


def by_email(type, body):
    # ISO 8859-1 has a character for each byte, so that nothing is lost on the way through the parser, which wants text.
    message = email.message_from_string(f"Content-Type: {type}\r\n\r\n" + body.decode("latin-1"), policy=email.policy.compat32)
    parts = []
    for item in message.get_payload():
        name, file = (item.get_param(key, header="content-disposition") for key in ("name", "filename"))
        parts.append(part(*(value and value.encode("latin-1").decode() for value in (name, file)), item.get("Content-Type"), item.get_payload().encode("latin-1")))
    return parts


def attempt(parser, form):
    try:
        return parser(form["type"], base64.b64decode(form["body"]))
    except Exception as error:
        return [part(f"{type(error).__name__}: {error}", None, None, b"")]


with open(sys.argv[1]) as file:
    forms = [json.loads(line) for line in file]
json.dump([{parser.__name__.removeprefix("by_"): attempt(parser, form) for parser in (by_python_multipart, by_werkzeug, by_email)} for form in forms], sys.stdout)
