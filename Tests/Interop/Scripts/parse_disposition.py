#!/usr/bin/env python3
"""Reads Content-Disposition fields with pyrfc6266, a parser by the grammar of RFC 6266, and prints their file names as JSON.

    parse_disposition.py file

The file has the fields as a JSON array. "failure" says why a field has no name: "field" for its grammar, "value" for that of filename*.
"""
import json
import sys

import pyrfc6266
from pyparsing import ParseException


def described(field):
    try:
        _, parameters = pyrfc6266.parse(field)
    except ParseException as error:
        # The parser reads the whole field first, and then each extended value.
        is_grammatical = pyrfc6266.parser.matches(field, parse_all=True) and "Multiple" not in str(error)
        return {"failure": "value" if is_grammatical else "field"}
    names = {parameter.name: parameter.value for parameter in parameters}
    return {"name": names.get("filename*") or names.get("filename") or None}


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([described(field) for field in json.load(file)]))
