import type { Contract } from "../request/contract.js";
import { operationIn } from "./parameters.js";
import { resolved } from "./violations.js";

interface MemberSchema {
  $ref?: string;
  type?: string | string[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

interface ItemSchema {
  $ref?: string;
  properties?: Record<string, MemberSchema>;
}

/**
 * For an operation whose items are checked one by one: the body with unreadable members of items set to null, if the
 * contract allows null for them. The handler then refuses that item, and the other items are not refused with it.
 */
type BlankMembers = (body: object) => object;

/** Undefined if the operation has no such items. */
export function createBlankMembers(operationId: string, contract: Contract): BlankMembers | undefined {
  const list = contract.routes[operationId]?.itemsCheckedApart;
  if (list == null) return undefined;
  const nullable = nullableMembers(contract.openapi, { operationId, list });
  if (nullable.length === 0) return undefined;
  return (body) => {
    const items: unknown = Reflect.get(body, list);
    if (!Array.isArray(items)) return body;
    return { ...body, [list]: items.map((item) => blank(item, nullable)) };
  };
}

function nullableMembers(
  document: unknown,
  { operationId, list }: { operationId: string; list: string },
): [string, MemberSchema][] {
  const [media] = Object.values(operationIn(document, operationId)?.requestBody?.content ?? {});
  const body = media?.schema && resolved(document, media.schema);
  const items = body?.properties?.[list] && resolved(document, body.properties[list]).items;
  const { properties = {} } = items === undefined ? {} : resolved(document, items as ItemSchema);
  return Object.entries(properties).filter(([, { type }]) => Array.isArray(type) && type.includes("null"));
}

function blank(item: unknown, nullable: readonly [string, MemberSchema][]): object {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return {};
  const unreadable = nullable.filter(
    ([name, schema]) => Object.hasOwn(item, name) && !fits(Reflect.get(item, name), schema),
  );
  return { ...item, ...Object.fromEntries(unreadable.map(([name]) => [name, null])) };
}

function fits(value: unknown, { type, maxLength, minimum, maximum }: MemberSchema): boolean {
  if (type?.includes("string"))
    return typeof value === "string" && value.length <= (maxLength ?? Number.POSITIVE_INFINITY);
  return (
    Number.isInteger(value) && (value as number) >= (minimum ?? -Infinity) && (value as number) <= (maximum ?? Infinity)
  );
}
