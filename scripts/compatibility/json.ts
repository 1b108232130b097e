/** A part of a contract's document. */
export interface Json {
  [member: string]: unknown;
}

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Follows a reference within the document, and the references that it leads to. Returns any other object as it is. */
export function resolve(document: Json, value: unknown): Json {
  let found = object(value);
  while (typeof found["$ref"] === "string") {
    let at: unknown = document;
    for (const part of found["$ref"].slice(2).split("/")) {
      at = object(at)[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    found = object(at);
  }
  return found;
}
