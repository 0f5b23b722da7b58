"""The failure of a measurement, with a message for below the table."""


class Failure(Exception):
    pass
