import type { OperationId } from "../../generated/handlers.js";
import type { operations } from "../../generated/openapi-types.js";
import { routes } from "../../generated/routes.js";

/** An answer. `body` has the type of the success answer; of an error only `error`, `code` and the extras are read. */
export interface Answer<B> {
  status: number;
  headers: Headers;
  body: B & Partial<ErrorMembers>;
}

interface ErrorMembers {
  error: string;
  code: number;
  message: string;
  [extra: string]: unknown;
}

export interface Sending {
  token?: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent unchanged, valid or not: tests send both. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

type Json<R> = R extends { content: { "application/json": infer B } } ? B : Record<string, unknown>;
type SuccessOf<I extends OperationId> = {
  [S in keyof operations[I]["responses"]]: S extends 200 | 201 | 202 | 204
    ? Json<operations[I]["responses"][S]>
    : never;
}[keyof operations[I]["responses"]];

/** Calls an operation of the contract by its id. Resolves with any answer; throws only if the connection breaks. */
export async function call<I extends OperationId>(
  relay: { url: string },
  operation: I,
  sending: Sending = {},
): Promise<Answer<SuccessOf<I>>> {
  const { method, path } = routes[operation];
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(sending.params?.[name] ?? ""));
  const url = new URL(filled, relay.url);
  for (const [name, value] of Object.entries(sending.query ?? {})) url.searchParams.set(name, String(value));
  const headers = new Headers(sending.headers);
  if (sending.token !== undefined) headers.set("authorization", `Bearer ${sending.token}`);
  if (sending.body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const init: RequestInit = { method: method.toUpperCase(), headers };
  if (sending.body !== undefined) init.body = JSON.stringify(sending.body);
  return readAnswer(await fetch(url, init));
}

async function readAnswer<B>(response: Response): Promise<Answer<B>> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  const body = (isJson ? JSON.parse(text) : { text }) as Answer<B>["body"];
  return { status: response.status, headers: response.headers, body };
}
