"""What rules take and give: encodings, and the ways to refuse."""

import base64
import re


class Refused(ValueError):
    """Ends a rule with an error that is not the usual one of the rule."""


def demand(holds, error=None):
    if not holds:
        raise Refused(error) if error else ValueError
    return True


def match(pattern, text):
    demand(re.fullmatch(pattern, text, re.ASCII))
    return text


def from_hex(text, length):
    return bytes.fromhex(match("[0-9a-fA-F]{%d}" % (2 * length), text))


def from_base64(text):
    data = base64.b64decode(match("[A-Za-z0-9+/]*={0,2}", text))
    demand(base64.b64encode(data).decode() == text)
    return data


def to_base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_base64url(text):
    data = base64.urlsafe_b64decode(match("[A-Za-z0-9_-]*", text) + "==")
    demand(to_base64url(data) == text)
    return data


def uuid(text):
    with_hyphens = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    digits = match(f"{with_hyphens}|[0-9a-f]{{32}}", text.lower()).replace("-", "")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
