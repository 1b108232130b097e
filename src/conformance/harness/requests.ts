import type { OperationId } from "../../../generated/handlers.js";
import type { operations } from "../../../generated/openapi-types.js";
import { routes } from "../../../generated/routes.js";
import type { ContractCheck } from "./contract.js";

/** A response. `body` has the type of the success response; an error's own members can be read too. */
export interface Answer<B = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  body: B & { error?: string; code?: number; message?: string; [extra: string]: unknown };
}

/** The content of a request, valid or not. */
export interface Sending {
  token?: string | undefined;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number>>;
  body?: unknown;
  /** Sent unchanged instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
}

type Json<R> = R extends { content: { "application/json": infer B } } ? B : Record<string, unknown>;
export type SuccessOf<I extends OperationId> = {
  [S in keyof operations[I]["responses"]]: S extends 200 | 201 | 202 | 204
    ? Json<operations[I]["responses"][S]>
    : never;
}[keyof operations[I]["responses"]];

/** Requests to the server under test. Every answer is checked against the contract. */
export interface Wire {
  call<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  /** Requests any method and path, even outside the contract. */
  ask(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** For the client library to use. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** The base address that the next request goes to. */
  nextNode(): string;
  /** Returns and clears the deviations from the contract so far. */
  takeDeviations(): string[];
  /** Operations that succeeded. */
  readonly succeeded: ReadonlySet<string>;
  /** Operations that were called. */
  readonly called: ReadonlySet<string>;
}

const timeoutMillis = 30_000;

/** What the address of a temporary redirect answers; that of blobs may be elsewhere, and is no part of the contract. */
async function followed(response: Response, init: RequestInit): Promise<Response> {
  const location = response.status === 307 ? response.headers.get("location") : null;
  return location === null ? response : fetch(location, { ...init, signal: AbortSignal.timeout(timeoutMillis) });
}

/** `nodes` are base addresses of one server; requests go to them in turn. */
export function createWire(nodes: readonly string[], contract: ContractCheck): Wire {
  const deviations: string[] = [];
  const succeeded = new Set<string>();
  const called = new Set<string>();
  let turn = 0;
  const nextNode = () => (nodes[turn++ % nodes.length] ?? "").replace(/\/+$/, "");

  const exchange = async (path: string, init: RequestInit): Promise<Response> => {
    const signal = init.signal ?? AbortSignal.timeout(timeoutMillis);
    const response = await fetch(nextNode() + path, { ...init, redirect: "manual", signal });
    const operation = contract.operationAt(init.method ?? "GET", path.split("?")[0] ?? "");
    if (operation === undefined) return response;
    called.add(operation);
    if (response.ok || response.status === 307) succeeded.add(operation);
    const { status, headers } = response;
    const faults = contract.deviations({ operation, status, headers, text: await response.clone().text() });
    deviations.push(...faults.map((fault) => `${operation}: ${fault}`));
    return response;
  };
  const ask = async (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    read(await followed(await exchange(withQuery(path, sending), initOf(method, sending)), initOf(method, sending)));

  return {
    ask,
    call: async (operation, sending = {}) => {
      const { method, path } = routes[operation];
      const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(sending.params?.[name] ?? ""));
      return (await ask(method.toUpperCase(), filled, sending)) as never;
    },
    fetch: (url, init) => {
      const { pathname, search } = new URL(url);
      return exchange(pathname + search, init);
    },
    nextNode,
    takeDeviations: () => deviations.splice(0),
    succeeded,
    called,
  };
}

function withQuery(path: string, { query = {} }: Sending): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? path : `${path}?${search}`;
}

function initOf(method: string, { token, body, raw, headers = {} }: Sending): RequestInit {
  const sent = new Headers(headers);
  if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text !== undefined && !sent.has("content-type")) sent.set("content-type", "application/json");
  return { method, headers: sent, ...(text !== undefined && { body: text }) };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, text, body: isJson ? parse(text) : {} };
}

function parse(text: string): Answer["body"] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
