import type { Contract, Schema } from "../contract.js";
import { operationsOf } from "../contract.js";

const PREFIX = "#/components/schemas/";

/**
 * Allows answers to have members that the contract does not name, and leaves requests closed. A schema that both use, and
 * that is closed or contains a closed one, is duplicated: `Thing` in answers, `ThingInput` in requests.
 */
export function openAnswers(contract: Contract): void {
  const { schemas } = contract.components;
  const operations = operationsOf(contract).map(({ operation }) => operation);
  const requests = operations.map(({ requestBody, parameters }) => ({ requestBody, parameters }));
  const sent = reached(schemas, requests);
  const answered = reached(schemas, [contract.components.responses, operations.map(({ responses }) => responses)]);
  const twice = [...sent].filter((name) => answered.has(name) && containsClosed(schemas, name));
  const closedNames = new Map(twice.map((name) => [PREFIX + name, `${PREFIX}${name}Input`]));
  for (const name of twice) schemas[`${name}Input`] = structuredClone(schemas[name] ?? {});
  for (const name of sent) redirect(schemas[twice.includes(name) ? `${name}Input` : name], closedNames);
  for (const part of requests) redirect(part, closedNames);
  for (const name of answered) open(schemas[name]);
  contract.components.schemas = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The names of the schemas that `root` refers to, directly or indirectly. */
function reached(schemas: Record<string, Schema>, root: unknown): Set<string> {
  const found = new Set<string>();
  const waiting: unknown[] = [root];
  for (const node of waiting) {
    if (typeof node !== "object" || node === null) continue;
    waiting.push(...Object.values(node));
    const reference = (node as { $ref?: unknown }).$ref;
    if (typeof reference !== "string" || !reference.startsWith(PREFIX)) continue;
    const name = reference.slice(PREFIX.length);
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(schemas[name]);
  }
  return found;
}

function containsClosed(schemas: Record<string, Schema>, name: string): boolean {
  return [name, ...reached(schemas, schemas[name])].some((one) => schemas[one]?.["additionalProperties"] === false);
}

function redirect(node: unknown, names: ReadonlyMap<string, string>): void {
  if (typeof node !== "object" || node === null) return;
  const holder = node as { $ref?: unknown };
  if (typeof holder.$ref === "string") holder.$ref = names.get(holder.$ref) ?? holder.$ref;
  for (const inner of Object.values(node)) redirect(inner, names);
}

/** Objects with properties are always named schemas, so no closed object is nested in another schema. */
function open(schema: Schema | undefined): void {
  if (schema?.["additionalProperties"] === false) delete schema["additionalProperties"];
}
