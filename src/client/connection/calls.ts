import { calls } from "../../../generated/calls.js";
import type { components, operations } from "../../../generated/openapi-types.js";
import { unlessAborted } from "../runtime/abort.js";
import { demand, demandOptions, demandSeconds, demandSignal, ifGiven } from "../runtime/arguments.js";
import { startDeadline } from "../runtime/deadline.js";
import type { Runtime } from "../runtime/runtime.js";
import { type AnswerShapes, type Exchanged, readAnswer } from "./answers.js";
import { AnswerError, ConnectionError, isAnswer } from "./failures.js";
import type { Reachability } from "./reachability.js";
import { defaultRetries, demandRetries, type RetryPolicy, withRetries } from "./retry.js";

/** The id of an operation of the contract. */
export type OperationId = keyof operations;

/** The schemas of the contract. */
export type Schemas = components["schemas"];

type Parameters<I extends OperationId> = operations[I]["parameters"];
type BodyOf<I extends OperationId> = operations[I] extends { requestBody: { content: { "application/json": infer B } } }
  ? B
  : operations[I] extends { requestBody?: { content: { "application/json": infer B } } }
    ? B | undefined
    : undefined;
/** A member that exists only if the operation has this part, and is optional if the part is optional. */
type Member<Name extends string, P> = [Exclude<P, undefined>] extends [never]
  ? unknown
  : undefined extends P
    ? { [N in Name]?: Exclude<P, undefined> }
    : Record<never, never> extends P
      ? { [N in Name]?: P }
      : { [N in Name]: P };

/** The input of an operation, as the contract defines it. */
export type CallInput<I extends OperationId> = Member<"path", Parameters<I>["path"]> &
  Member<"query", Parameters<I>["query"]> &
  Member<"headers", Parameters<I>["header"]> &
  Member<"body", BodyOf<I>> &
  CallOptions;

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. The relay may still have carried out the request. */
  signal?: AbortSignal;
  /**
   * How long each attempt may take. By default it ends after 30 seconds in which nothing arrives, with more time for a
   * large request, and after half an hour.
   */
  timeoutSeconds?: number;
  /** Overrides the retry policy of the connection. */
  retries?: Partial<RetryPolicy>;
}

type ContentOf<R> = R extends { content: infer C }
  ? C extends { "application/json": infer B }
    ? B
    : string
  : undefined;
type SuccessOf<R> = { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? ContentOf<R[S]> : never }[keyof R];

/** The body of an operation's success answer. */
export type AnswerOf<I extends OperationId> = SuccessOf<operations[I]["responses"]>;

type InputArguments<I extends OperationId> =
  Record<never, never> extends CallInput<I> ? [input?: CallInput<I>] : [input: CallInput<I>];

/** Calls operations of the contract by their ids. */
export interface Caller {
  /** The success answer's body. Throws AnswerError or ConnectionError; the signal's reason if the signal is aborted. */
  call<I extends OperationId>(operation: I, ...input: InputArguments<I>): Promise<AnswerOf<I>>;
  /** Like `call`, with status and headers, for operations that have several success answers. */
  exchange<I extends OperationId>(operation: I, ...input: InputArguments<I>): Promise<Exchanged<AnswerOf<I>>>;
}

export type { Exchanged };

/** Where the bearer tokens of one kind come from. */
export interface TokenSource {
  /** A token that is valid for a while yet. */
  token(): Promise<string>;
  /** The relay refused this token: ensures that `token` gives another one, or throws. */
  refused(token: string): Promise<void>;
}

export interface CallerDeps {
  /** The relay's base address. */
  url: string;
  runtime: Runtime;
  /** By the kind of token that an operation takes. */
  tokens?: { device?: TokenSource; admin?: TokenSource; federation?: TokenSource };
  retries?: Partial<RetryPolicy>;
  /** Called with the headers of every answer, errors included. */
  onAnswer?: (headers: Headers) => void;
  reachability?: Reachability;
  answerShapes?: AnswerShapes;
}

/** Calls one relay. Retries calls that may be repeated, and renews a refused token once. */
export function createCaller(deps: CallerDeps): Caller {
  const policy = { ...defaultRetries, ...deps.retries };
  const exchange = async (operation: OperationId, given: LooseInput = {}): Promise<Exchanged<unknown>> => {
    demandCall(operation, given);
    const { signal, retries } = given;
    const attempt = () => exchangeOnce(deps, operation, given);
    const options = { policy: { ...policy, ...retries }, runtime: deps.runtime, ...(signal && { signal }) };
    return withRetries(operation, attempt, options);
  };
  return {
    call: async (operation: OperationId, input?: LooseInput) => (await exchange(operation, input)).body as never,
    exchange: exchange as never,
  };
}

interface LooseInput extends CallOptions {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

const inputMembers = new Set(["path", "query", "headers", "body", "signal", "timeoutSeconds", "retries"]);

function demandCall(operation: OperationId, input: LooseInput): void {
  const isKnown = Object.hasOwn(calls, operation);
  demand(isKnown, operation, { what: "operation", expected: "the id of an operation of the contract" });
  demandOptions(input, "input");
  const unknown = Object.keys(input).find((name) => !inputMembers.has(name));
  if (unknown !== undefined) throw new TypeError(`input has ${[...inputMembers].join(", ")}, but no ${unknown}`);
  ifGiven(input.signal, (signal) => demandSignal(signal, "signal"));
  ifGiven(input.timeoutSeconds, (seconds) => demandSeconds(seconds, "timeoutSeconds"));
  ifGiven(input.retries, demandRetries);
  for (const [, name = ""] of calls[operation].path.matchAll(/:(\w+)/g)) {
    const value = input.path?.[name];
    const isText = typeof value === "string" || typeof value === "number";
    demand(isText && value !== "", value, { what: `path.${name}`, expected: "a string that is not empty" });
  }
}

async function exchangeOnce(deps: CallerDeps, operation: OperationId, input: LooseInput): Promise<Exchanged<unknown>> {
  input.signal?.throwIfAborted();
  const source = tokenSourceOf(deps, operation, input);
  if (source === undefined) return send(deps, operation, { input });
  const token = await unlessAborted(source.token(), input.signal);
  try {
    return await send(deps, operation, { input, token });
  } catch (failure) {
    if (!isAnswer(failure, "INVALID_TOKEN")) throw failure;
    await unlessAborted(source.refused(token), input.signal);
    return send(deps, operation, { input, token: await source.token() });
  }
}

function tokenSourceOf(
  { tokens: sources = {} }: CallerDeps,
  operation: OperationId,
  { query }: LooseInput,
): TokenSource | undefined {
  const { tokens = [], tokenWith } = calls[operation];
  // A caller that need not say who it is does not.
  if (tokenWith !== undefined && query?.[tokenWith] === undefined) return undefined;
  const kind = tokens.find((one) => sources[one] !== undefined);
  return kind === undefined ? undefined : sources[kind];
}

async function send(
  { url, runtime, onAnswer, reachability, answerShapes: shapes }: CallerDeps,
  operation: OperationId,
  { input, token }: { input: LooseInput; token?: string },
): Promise<Exchanged<unknown>> {
  const { signal, timeoutSeconds } = input;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const deadline = startDeadline({ signal, timeoutSeconds, sentBytes: body?.length ?? 0 });
  const onBytes = () => {
    deadline.heard();
    reachability?.heard();
  };
  const exchange = async () => {
    const init = { ...requestOf(operation, { input, token }), body, signal: deadline.signal } as RequestInit;
    const response = await runtime.fetch(addressOf(url, operation, input), init);
    onBytes();
    const isConditional = Object.keys(input.headers ?? {}).some((name) => name.toLowerCase() === "if-none-match");
    try {
      return await readAnswer(operation, response, { shapes, isConditional, onBytes });
    } finally {
      onAnswer?.(response.headers);
    }
  };
  try {
    const answer = await unlessAborted(exchange(), deadline.signal);
    reachability?.answered();
    return answer;
  } catch (failure) {
    if (failure instanceof AnswerError) {
      reachability?.answered();
      throw failure;
    }
    deadline.abandon();
    signal?.throwIfAborted();
    reachability?.lost();
    throw new ConnectionError(operation, failure);
  } finally {
    deadline.end();
  }
}

function addressOf(url: string, operation: OperationId, { path = {}, query = {} }: LooseInput): string {
  const filled = calls[operation].path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const address = new URL(url.replace(/\/+$/, "") + filled);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address.href;
}

function requestOf(
  operation: OperationId,
  { input, token }: { input: LooseInput; token: string | undefined },
): RequestInit {
  const headers = new Headers({ accept: "application/json, */*;q=0.5" });
  for (const [name, value] of Object.entries(input.headers ?? {})) {
    if (value !== undefined) headers.set(name, String(value));
  }
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (input.body !== undefined) headers.set("content-type", "application/json");
  // No operation that is called here redirects, and a token must not follow a redirect elsewhere.
  return { method: calls[operation].method.toUpperCase(), headers, redirect: "error", credentials: "omit" };
}
