"""How a stranger calls the relay, and what becomes of its guesses.

A stranger has read the interface specification and nothing else. Each guess is one call, or one property of an answer, as
the specification's words suggest it at first reading. All guesses are collected, the wrong ones too.
"""

import json
import re
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

HEX64 = re.compile("[0-9a-f]{64}")
UUID4 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+")
NUMBER = (int, float)


class Answer:
    def __init__(self, status: int, headers, data: bytes):
        self.status = status
        self.headers = headers
        self.text = data.decode()
        try:
            self.body = json.loads(self.text)
        except ValueError:
            self.body = None

    def __getitem__(self, name: str):
        return self.body[name]

    def __str__(self) -> str:
        return f"{self.status} {self.text[:400]}"


class Server:
    """The relay. Its domain is what the client was told, its address where tests reach it."""

    def __init__(self, url: str, domain: str):
        self.url = url
        self.domain = domain

    def call(self, method: str, path: str, body=None, token: str | None = None, headers=None) -> Answer:
        """One request. The headers are the ones of Python's own client unless others are given."""
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        request = urllib.request.Request(self.url + path, data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())


class Ledger:
    """What was guessed, whether it held, and what answers say beyond the specification."""

    def __init__(self):
        self.guesses: list[dict] = []
        self.additions: set[str] = set()

    def note(self, guess: str, held: bool, saw="") -> None:
        self.guesses.append({"guess": guess, "held": bool(held), "saw": "" if held else str(saw)[:600]})

    def answered(self, guess: str, answer: Answer, status: int, shape=None) -> Answer:
        """The answer has the status and every named member in the named form. Further members are kept as additions."""
        fault = [] if answer.status == status else [f"the status is not {status}"]
        if shape is not None and not fault:
            fault = self._faults(answer.body, shape)
        self.note(guess, not fault, f"{'; '.join(fault)}: {answer}")
        return answer

    def refused(self, guess: str, answer: Answer, status: int, error: str | None, code: int | None, *says: str) -> Answer:
        """The call is refused with this error, whose text, details included, says what a stranger needs to know next."""
        body = answer.body if isinstance(answer.body, dict) else {}
        is_named = error is None or body.get("error") == error
        is_coded = code is None or body.get("code") == code
        texts = [str(body.get("message", "")), *(str(one.get("message")) for one in body.get("details", []))]
        is_told = all(any(word in text for text in texts) for word in says)
        held = answer.status == status and is_named and is_coded and texts[0] != "" and is_told
        self.note(guess, held, f"wanted {status} {error} {code} {says}: {answer}")
        return answer

    @contextmanager
    def chapter(self, name: str):
        """A chapter that breaks off is a guess that did not hold; the next ones go on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            self.note(f"{name} goes through", False, repr(error))
        else:
            self.note(f"{name} goes through", True)

    def _faults(self, value, shape, path: str = "") -> list[str]:
        if isinstance(shape, dict):
            if not isinstance(value, dict):
                return [f"{path or 'the answer'} is no object"]
            self.additions.update(f"{path}{name}" for name in set(value) - set(shape))
            return [
                fault
                for name, form in shape.items()
                for fault in (
                    self._faults(value[name], form, f"{path}{name}.") if name in value else [f"{path}{name} is missing"]
                )
            ]
        if isinstance(shape, list):
            if not isinstance(value, list):
                return [f"{path} is no list"]
            return [fault for one in value for fault in self._faults(one, shape[0], path)]
        return [] if fits(value, shape) else [f"{path} is {value!r}"]


def fits(value, form) -> bool:
    if form is None or form is True or form is False or isinstance(form, (str, int, float)):
        return value == form and type(value) is type(form)
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, set):
        return any(fits(value, one) for one in form)
    if isinstance(form, tuple):
        return any(fits(value, one) for one in form)
    if form in (int, float):
        return type(value) is form
    if isinstance(form, type):
        return isinstance(value, form)
    return form(value)


def now() -> int:
    return int(time.time())


def soon(seconds: int, *, give: int = 5):
    """A time about that many seconds from now."""
    return lambda value: type(value) is int and abs(value - now() - seconds) <= give
