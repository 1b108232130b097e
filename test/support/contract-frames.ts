import { readFile } from "node:fs/promises";
import type { PlainSchema } from "./schema-arbitrary.js";

interface Document {
  operations: Record<string, { action: "send" | "receive"; messages: { $ref: string }[] }>;
  components: {
    messages: Record<string, { payload: { $ref: string }; examples: { name: string; payload: unknown }[] }>;
    schemas: Record<string, PlainSchema>;
  };
}

const document = JSON.parse(
  await readFile(new URL("../../generated/asyncapi.json", import.meta.url), "utf8"),
) as Document;

/**
 * The names of the frames that clients send, and of those that the server sends, according to the stream's contract.
 */
export const fromClient = namesOf("receiveClientFrame");
export const fromServer = namesOf("sendServerFrame");

/** The schema of a frame, its references resolved. */
export function schemaOf(name: string): PlainSchema {
  return resolved({ $ref: document.components.messages[name]?.payload.$ref }) as PlainSchema;
}

/** The contract's examples of a frame. */
export function examplesOf(name: string): unknown[] {
  return (document.components.messages[name]?.examples ?? []).map(({ payload }) => payload);
}

function namesOf(operation: string): string[] {
  return document.operations[operation]?.messages.map(({ $ref }) => $ref.split("/").at(-1) ?? "") ?? [];
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  const reference = (value as { $ref?: unknown }).$ref;
  if (typeof reference === "string") return resolved(document.components.schemas[reference.split("/").at(-1) ?? ""]);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item)]));
}
