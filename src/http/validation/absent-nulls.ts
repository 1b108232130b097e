import { operationIn } from "./parameters.js";
import { resolved, type Schema } from "./violations.js";

/** Removes the members of a body that are null and optional. Returns whether there were any. */
type NullRemover = (body: object) => boolean;

/**
 * Many languages write null for a member that was not set, so null for an optional member is the same as leaving it out.
 * Members for which null means something, and open objects, are left as they are.
 */
export function createNullRemover(operationId: string, document: unknown): NullRemover {
  const content = Object.values(operationIn(document, operationId)?.requestBody?.content ?? {});
  const schemas = content.flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  return (body) => schemas.map((schema) => removeNulls(body, schema, document)).some(Boolean);
}

function removeNulls(value: unknown, referring: Schema, document: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { items, properties = {}, required = [] } = resolved(document, referring);
  if (Array.isArray(value)) {
    return items !== undefined && value.map((item) => removeNulls(item, items, document)).some(Boolean);
  }
  const members = value as Record<string, unknown>;
  let removed = false;
  for (const [name, schema] of Object.entries(properties)) {
    const isAbsent = members[name] === null && !required.includes(name) && !allowsNull(schema, document);
    if (isAbsent) delete members[name];
    removed = isAbsent || removeNulls(members[name], schema, document) || removed;
  }
  return removed;
}

function allowsNull(schema: Schema, document: unknown): boolean {
  return [resolved(document, schema).type].flat().includes("null");
}
