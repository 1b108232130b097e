"""Gives every generated request its caller, and makes the valid ones mean something."""

import copy

import schemathesis
from schemathesis import GenerationMode

from fuzzing import ledger
from fuzzing.actors import admin, holders
from fuzzing.meaning import meanings, spare, storable
from fuzzing.nulls import optional_members
from fuzzing.wire import chance, network_address


def operation_id(case) -> str:
    return case.operation.definition.raw["operationId"]


def scheme_of(case) -> str | None:
    """The one security scheme of the operation."""
    asked = case.operation.definition.raw.get("security") or [{}]
    return next(iter(asked[0]), None)


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """Each operation is asked by the caller it is for; Schemathesis leaves the token out where it tests that."""

    def get(self, case, ctx):
        scheme = scheme_of(case)
        if operation_id(case) == "logoutAdmin":
            return admin.log_in()  # A session of its own, so that the others go on.
        return None if scheme is None else holders[scheme].token()

    def set(self, case, data, ctx):
        if data is not None:
            case.headers["Authorization"] = f"Bearer {data}"


def is_meant_well(case) -> bool:
    """Whether the request is a valid one to this very operation."""
    meta = case.meta
    return meta is not None and meta.generation.mode is GenerationMode.POSITIVE and case.method == case.operation.method.upper()


def keep_wrong(case) -> None:
    """Null for an optional member is the same as leaving it out, so what is meant to be wrong says it in another way."""
    for holder, name in list(optional_members(case, case.body)):
        if name in holder and holder[name] is None:
            holder[name] = [[[]]]


def write_nulls(case, kwargs) -> None:
    """
    Sends null for some of the optional members that were left out, as many languages write it. The case stays as it is:
    by the schemas alone it would be wrong.
    """
    body = copy.deepcopy(case.body)
    added = [(holder, name) for holder, name in optional_members(case, body) if name not in holder and chance.random() < 0.1]
    for holder, name in added:
        holder[name] = None
    if added:
        kwargs["json"] = body


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers.setdefault("X-Forwarded-For", network_address())
    ledger.remember_config()
    if not is_meant_well(case):
        keep_wrong(case)
        spare(operation_id(case), case)
        return
    if isinstance(case.body, dict):
        case.body = storable(case.body)
    make = meanings.get(operation_id(case))
    if make is not None:
        make(case)
    spare(operation_id(case), case)
    if case.media_type == "application/json":
        write_nulls(case, kwargs)


@schemathesis.hook
def after_call(context, case, response):
    if response.request.method == case.operation.method.upper():
        ledger.note(operation_id(case), case, response)
