#!/usr/bin/env python3
"""Makes dates, and prints as JSON what others make of them.

    differential_dates.py seed count

"valid" says that a text is in one of the three forms of HTTP, and "email" is what email.utils makes of it, in the century that HTTP wants. "cookie" is what aiohttp makes of it, by the rules for
cookies (RFC 6265, section 5.1.1). All in seconds since 1970, or null. "isRolled" says that aiohttp has taken a day that its month does not have for one of the next
month. "written" has moments, and the texts that email.utils writes for them.
"""
import calendar
import email.utils
import re
import types
from datetime import datetime, timedelta, timezone

from aiohttp import CookieJar, cookiejar
from differential import arguments, mutated, show

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
LONG_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ALPHABET = "0123456789 :,-/GMTJanDec.+;\t%äz"
rng, count = arguments()
is_rolled = False


class Cookies(CookieJar):
    """aiohttp's reader of dates. It takes the first digits of a longer number for a whole one, which the grammar does not allow."""

    DATE_HMS_TIME_RE = re.compile(CookieJar.DATE_HMS_TIME_RE.pattern + r"(?!\d)")
    DATE_DAY_OF_MONTH_RE = re.compile(CookieJar.DATE_DAY_OF_MONTH_RE.pattern + r"(?!\d)")
    DATE_YEAR_RE = re.compile(CookieJar.DATE_YEAR_RE.pattern + r"(?!\d)")


def timegm(fields):
    """What aiohttp uses of the module calendar, and records days that their months do not have."""
    global is_rolled
    try:
        datetime(*fields[:6])
    except ValueError:
        is_rolled = True
    return calendar.timegm(fields)


cookiejar.calendar = types.SimpleNamespace(timegm=timegm)


def seconds(moment):
    return int((moment - EPOCH).total_seconds()) if moment else None


def moment():
    return datetime(1601, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=rng.randrange(8399 * 31_556_952 - 86_400 * 400))


def recent():
    """A moment whose year of two digits has one meaning."""
    return datetime(1990, 1, 1, tzinfo=timezone.utc) + timedelta(days=rng.randrange(365 * 60), seconds=rng.randrange(86_400))


def text(when, day, form):
    time = f"{when.hour:02}:{when.minute:02}:{when.second:02}"
    month = MONTHS[when.month - 1]
    if form == 0:
        return f"{DAYS[when.weekday()]}, {day:02} {month} {when.year:04} {time} GMT"
    if form == 1:
        return f"{LONG_DAYS[when.weekday()]}, {day:02}-{month}-{when.year % 100:02} {time} GMT"
    if form == 2:
        return f"{DAYS[when.weekday()]} {month} {day:2} {time} {when.year:04}"
    # Forms that only cookies have.
    return rng.choice([f"{day}-{month}-{when.year:04} {time}", f"{time} {when.year:04} {month.upper()} {day}", f"{month} {day} {when.year:04}, {time}.5 UTC"])


def by_email(text):
    try:
        read = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return seconds(read if read.tzinfo else read.replace(tzinfo=timezone.utc))


def by_email_in_century(text):
    """Years of two digits are at most 50 years in the future (RFC 9110, section 5.6.7), but begin with 1969 for email.utils."""
    read = by_email(text)
    if read is None or not re.fullmatch(r"[a-z]+day, \d\d-[a-z]{3}-\d\d [0-9:]{8} gmt", text, re.IGNORECASE):
        return read
    when = EPOCH + timedelta(seconds=read)
    limit = datetime.now(timezone.utc) + timedelta(days=50 * 365.2425)
    years = [when.year + 100, when.year, when.year - 100]
    is_leap_day = (when.month, when.day) == (2, 29)
    candidates = [when.replace(year=year) for year in years if calendar.isleap(year) or not is_leap_day]
    return seconds(next(candidate for candidate in candidates if candidate <= limit))


def by_cookie(text):
    try:
        return Cookies._parse_date(text)
    except (ValueError, OverflowError):
        return None


def case():
    global is_rolled
    is_rolled = False
    form = rng.choice([0, 0, 1, 2, 3])
    when = recent() if form == 1 else moment()
    # Now and then a day that the month may not have.
    day = 31 if rng.randrange(40) == 0 else when.day
    value = text(when, day, form)
    valid = form < 3 and day <= calendar.monthrange(when.year, when.month)[1]
    if rng.randrange(2):
        value, valid = mutated(rng, value, ALPHABET), False
    cookie = by_cookie(value)
    return {"text": value, "valid": valid, "email": by_email_in_century(value), "cookie": cookie, "isRolled": is_rolled}


def written():
    when = moment()
    return {"seconds": seconds(when), "text": email.utils.format_datetime(when, usegmt=True)}


show({"cases": [case() for _ in range(count)], "written": [written() for _ in range(count // 4)]})
