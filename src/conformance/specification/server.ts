// Calls a server with nothing but the words of the specification: its paths, members and texts to sign.

import { runtimeWith } from "../../client/runtime/runtime.js";
import { encodeHex } from "../../protocol/encodings.js";
import { Broken, hold, isLimit, LimitReached } from "../harness/assertions.js";

/** The answer of any server. Its body is parsed if it is JSON. */
export interface Answer {
  status: number;
  text: string;
  body: Members;
}

export type Members = Readonly<Record<string, unknown>>;

export interface Request {
  token?: string | undefined;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** The server under test. */
export interface Server {
  url: string;
  domain: string;
  /** The server's time, as far as it has told it; this machine's until then. */
  nowSeconds(): number;
  randomHex(bytes: number): string;
  call(method: string, path: string, request?: Request): Promise<Answer>;
}

const timeoutMillis = 60_000;

export function serverAt(url: string, domain: string): Server {
  const { nowMillis, randomBytes } = runtimeWith();
  let ahead = 0;
  const server: Server = {
    url: url.replace(/\/+$/, ""),
    domain,
    nowSeconds: () => Math.floor(nowMillis() / 1000) + ahead,
    randomHex: (bytes) => encodeHex(randomBytes(bytes)),
    async call(method, path, { token, body, headers = {} } = {}) {
      const sent = new Headers(headers);
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
      if (body !== undefined) sent.set("content-type", "application/json");
      const init = { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(server.url + path, { ...init, signal: AbortSignal.timeout(timeoutMillis) });
      const text = await response.text();
      const answer = { status: response.status, text, body: parse(text) };
      const told = answer.body["server_timestamp"];
      if (typeof told === "number") ahead = told - Math.floor(nowMillis() / 1000);
      return answer;
    },
  };
  return server;
}

/** How a value must look: a value itself, a pattern of a text, a list of one form, members, or a test. */
export type Form =
  | string
  | number
  | boolean
  | null
  | RegExp
  | ((value: unknown) => boolean)
  | readonly [Form]
  | { readonly [member: string]: Form };

/** The body of an answer with this status that has the members in these forms. It may have further ones. */
export function expectBody<T = Members>(answer: Answer, status: number, form: Form = {}): T {
  requireRoom(answer);
  hold(answer.status === status, `expected ${status}, got ${brief(answer)}`);
  demandForm(answer.body, form, "the body");
  return answer.body as T;
}

/** A refusal: a status from 400 to 499, and the error's name and code where the specification states them. */
export function expectRefusal(
  answer: Answer,
  { status, error, code }: { status?: number; error?: string; code?: number } = {},
): void {
  if (status !== 429) requireRoom(answer);
  const isRefused = status === undefined ? answer.status >= 400 && answer.status < 500 : answer.status === status;
  hold(isRefused, `expected ${status ?? "a refusal"}, got ${brief(answer)}`);
  if (error !== undefined) hold(answer.body["error"] === error, `expected ${error}, got ${brief(answer)}`);
  if (code !== undefined) hold(answer.body["code"] === code, `expected the code ${code}, got ${brief(answer)}`);
}

/** Throws a Broken that says where a value differs from its form. */
export function demandForm(value: unknown, form: Form, path: string): void {
  if (Array.isArray(form)) {
    if (!Array.isArray(value)) throw new Broken(`${path} is no list`);
    for (const [index, one] of value.entries()) demandForm(one, form[0] as Form, `${path}[${index}]`);
  } else if (form instanceof RegExp) {
    hold(typeof value === "string" && form.test(value), `${path} is ${JSON.stringify(value)}`);
  } else if (typeof form === "function") {
    hold(form(value), `${path} is ${JSON.stringify(value)}`);
  } else if (typeof form === "object" && form !== null) {
    if (typeof value !== "object" || value === null) throw new Broken(`${path} is no object`);
    for (const [name, one] of Object.entries(form)) demandForm((value as Members)[name], one, `${path}.${name}`);
  } else {
    hold(value === form, `${path} is ${JSON.stringify(value)}, expected ${JSON.stringify(form)}`);
  }
}

export const whole = (value: unknown): boolean => Number.isSafeInteger(value);
export const text = (value: unknown): boolean => typeof value === "string" && value !== "";
export const flag = (value: unknown): boolean => typeof value === "boolean";
export const list = (value: unknown): boolean => Array.isArray(value);
export const count = (value: unknown): boolean => typeof value === "number" && value >= 0;
export const fraction = (value: unknown): boolean => count(value) && (value as number) <= 1;
/** A time that many seconds from now, give or take some. */
export const within =
  (server: Server, seconds: number, margin: number) =>
  (value: unknown): boolean =>
    whole(value) && Math.abs((value as number) - server.nowSeconds() - seconds) <= margin;
export const optionally =
  (form: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || value === undefined || form(value);

/** The specification has a switch for registration and names no error for it, so the contract's error counts as well. */
function requireRoom(answer: Answer): void {
  const { status, body } = answer;
  if (isLimit({ status, error: body["error"] })) throw new LimitReached(`a limit of the server: ${brief(answer)}`);
}

function brief({ status, text: body }: Answer): string {
  return `${status} ${body.slice(0, 300)}`;
}

function parse(body: string): Members {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
