import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { ServerConfig } from "../../platform/config/server.js";
import { softwareVersion } from "../../platform/software-version.js";
import { readRetryAfter } from "../../protocol/retry-after.js";
import { daySeconds, mebibyte } from "../../protocol/units.js";

// The part of RFC 8555 that an order needs. Every request has a time limit, and nothing here waits because the authority asks for
// it: AcmeProblem says how long.

/** The authority refused, or did not answer as RFC 8555 describes it. */
export class AcmeProblem extends Error {
  /** How long the authority asks to wait; null if it does not. */
  readonly retryAfterSeconds: number | null;
  /** The type of the problem without its prefix, like `rateLimited`; empty if there is none. */
  readonly type: string;

  constructor(message: string, given: { type?: string; retryAfterSeconds?: number | null } & ErrorOptions = {}) {
    super(message, given);
    this.name = "AcmeProblem";
    this.type = given.type ?? "";
    this.retryAfterSeconds = given.retryAfterSeconds ?? null;
  }
}

/** An answer of the authority. */
interface AcmeAnswer {
  /** The URL in the `Location` header; empty without one. */
  location: string;
  body: Record<string, unknown>;
  text: string;
  retryAfterSeconds: number | null;
}

export type AcmeLimits = Pick<ServerConfig, "acmeRequestSeconds" | "acmeOrderSeconds">;

/** Requests of one account. */
export type AcmeClient = Awaited<ReturnType<typeof openAcmeClient>>;

const longestAnswer = mebibyte;
/** A nonce that is no longer valid is answered with a new one (section 6.5). */
const nonceAttempts = 4;
const longestRetrySeconds = 7 * daySeconds;
const problemPrefix = "urn:ietf:params:acme:error:";

/** Finds or creates the account of the key, which agrees to the terms of service. `signal` ends all requests. */
export async function openAcmeClient(given: {
  directory: string;
  key: KeyObject;
  config: AcmeLimits;
  signal: AbortSignal;
}) {
  const { key } = given;
  const within = { signal: given.signal, seconds: given.config.acmeRequestSeconds };
  const directory = await ask(new URL(given.directory), within);
  const urlOf = (name: string): string => {
    const url = directory.body[name];
    if (typeof url !== "string" || !URL.canParse(url)) {
      throw new AcmeProblem(`${given.directory} is not the directory of an ACME server: it has no ${name}`);
    }
    return url;
  };
  const jwk = publicJwk(key);
  let account: { jwk: object } | { kid: string } = { jwk };
  let nonce = "";

  const attempt = async (url: string, payload: object | null): Promise<AcmeAnswer> => {
    if (nonce === "") nonce = (await ask(new URL(urlOf("newNonce")), { ...within, method: "HEAD" })).nonce;
    const body = JSON.stringify(signRequest({ key, header: { ...account, nonce, url }, payload }));
    nonce = "";
    const answer = await ask(new URL(url), { ...within, method: "POST", body });
    nonce = answer.nonce;
    return answer;
  };
  /** A POST with a signed body, or with `null` a POST-as-GET. */
  const post = async (url: string, payload: object | null): Promise<AcmeAnswer> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(url, payload);
      } catch (problem) {
        const isStale = problem instanceof AcmeProblem && problem.type === "badNonce";
        if (!isStale || attempts === nonceAttempts) throw problem;
      }
    }
  };

  const meta = directory.body["meta"] as { externalAccountRequired?: unknown } | undefined;
  if (meta?.externalAccountRequired === true) {
    throw new AcmeProblem("the authority requires external account binding, which the relay does not support");
  }
  const { location } = await post(urlOf("newAccount"), { termsOfServiceAgreed: true });
  if (location === "") throw new AcmeProblem("the authority named no account");
  account = { kid: location };
  return {
    post,
    newOrder: (order: object) => post(urlOf("newOrder"), order),
    /** The answer to a challenge (section 8.1). */
    keyAuthorization: (token: string): string => `${token}.${thumbprint(jwk)}`,
  };
}

interface Asked {
  signal: AbortSignal;
  seconds: number;
  method?: "GET" | "HEAD" | "POST";
  body?: string;
}

async function ask(
  url: URL,
  { signal, seconds, method = "GET", body }: Asked,
): Promise<AcmeAnswer & { nonce: string }> {
  const timeout = AbortSignal.timeout(seconds * 1000);
  const headers = { "User-Agent": `mls-relay/${softwareVersion}`, "Content-Type": "application/jose+json" };
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body ?? null,
      signal: AbortSignal.any([signal, timeout]),
    });
    const text = await readText(response, url);
    const retryAfterSeconds = retryAfterOf(response);
    if (!response.ok) throw problemOf(response.status, { url, text, retryAfterSeconds });
    return {
      location: response.headers.get("location") ?? "",
      nonce: response.headers.get("replay-nonce") ?? "",
      ...{ body: objectIn(text), text, retryAfterSeconds },
    };
  } catch (problem) {
    signal.throwIfAborted();
    if (problem instanceof AcmeProblem) throw problem;
    if (timeout.aborted) throw new AcmeProblem(`${url.host} did not answer within ${seconds} seconds`);
    throw new AcmeProblem(`${url.host} cannot be reached: ${reasonOf(problem)}`, { cause: problem });
  }
}

async function readText(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) throw new AcmeProblem(`${url.host} sent more than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function retryAfterOf(response: Response): number | null {
  const asked = readRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
  return asked === null ? null : Math.min(asked, longestRetrySeconds);
}

function problemOf(
  status: number,
  { url, text, retryAfterSeconds }: { url: URL; text: string; retryAfterSeconds: number | null },
): AcmeProblem {
  const document = objectIn(text);
  const type = String(document["type"] ?? "").replace(problemPrefix, "");
  const message = `${url.host} answered ${status}: ${problemText(document) || "without a reason"}`;
  return new AcmeProblem(message, { type, retryAfterSeconds });
}

/** The text of a problem document (RFC 7807) with its type, and of its subproblems. */
export function problemText(document: unknown): string {
  const { type, detail, subproblems } = (document ?? {}) as Record<string, unknown>;
  const kind = typeof type === "string" ? type.replace(problemPrefix, "") : "";
  const parts = [kind, typeof detail === "string" ? detail.slice(0, longestDetail) : ""].filter((part) => part !== "");
  const inner = Array.isArray(subproblems) ? subproblems.slice(0, 3).map(problemText) : [];
  return [parts.join(": "), ...inner].filter((part) => part !== "").join("; ");
}

const longestDetail = 500;

/** A failed `fetch` hides its reason in causes, some of which have no message but a code or errors of their own. */
function reasonOf(problem: unknown): string {
  const { cause, errors, message, code } = problem as Error & { errors?: unknown[]; code?: string };
  if (cause !== undefined) return reasonOf(cause);
  if (Array.isArray(errors) && errors.length > 0) return errors.map(reasonOf).join(", ");
  return message || code || "no reason is known";
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A JSON Web Signature in its flattened form (RFC 7515), by ES256. */
function signRequest(given: { key: KeyObject; header: object; payload: object | null }) {
  const { key, header, payload } = given;
  const encoded = {
    protected: encode(JSON.stringify({ alg: "ES256", ...header })),
    payload: payload === null ? "" : encode(JSON.stringify(payload)),
  };
  const input = Buffer.from(`${encoded.protected}.${encoded.payload}`);
  const signature = sign("sha256", input, { key, dsaEncoding: "ieee-p1363" });
  return { ...encoded, signature: signature.toString("base64url") };
}

function publicJwk(key: KeyObject) {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: "jwk" });
  // In the order that a thumbprint needs (RFC 7638).
  return { crv, kty, x, y };
}

function thumbprint(jwk: object): string {
  return createHash("sha256").update(JSON.stringify(jwk)).digest("base64url");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
