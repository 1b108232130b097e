"""Where the contract lets null stand for a member that was left out: optional members that have no null of their own."""

from typing import Iterator


def resolved(document: dict, part: dict) -> dict:
    """A part of the document, or what it refers to."""
    while "$ref" in part:
        found = document
        for name in part["$ref"].split("/")[1:]:
            found = found[name]
        part = found
    return part


def body_schemas(case) -> tuple[dict, list[dict]]:
    """The document, and the schemas of the operation's body."""
    document = case.operation.schema.raw_schema
    body = resolved(document, case.operation.definition.raw.get("requestBody", {}))
    return document, [one["schema"] for one in body.get("content", {}).values() if "schema" in one]


def optional_members(case, body) -> Iterator[tuple[dict, str]]:
    """Every object of the body, with each of its members that counts as left out where it is null."""
    document, schemas = body_schemas(case)
    for schema in schemas:
        yield from _members(body, schema, document)


def _members(value, schema: dict, document: dict) -> Iterator[tuple[dict, str]]:
    schema = resolved(document, schema)
    if isinstance(value, list) and "items" in schema:
        for one in value:
            yield from _members(one, schema["items"], document)
    if not isinstance(value, dict):
        return
    for name, member in schema.get("properties", {}).items():
        kinds = resolved(document, member).get("type", [])
        if name not in schema.get("required", []) and "null" not in ([kinds] if isinstance(kinds, str) else kinds):
            yield value, name
        if name in value:
            yield from _members(value[name], member, document)


def without_nulls(case, body):
    """The body as it counts."""
    for holder, name in list(optional_members(case, body)):
        if name in holder and holder[name] is None:
            del holder[name]
    return body
