// Requests whose bodies are bytes, which `Caller` does not make. A relay's answer is one only if it has the form of the contract.

import type { operations } from "../../../generated/openapi-types.js";
import { AnswerError, ConnectionError, isContractError, NoAnswer } from "../connection/failures.js";
import { onAbort } from "../runtime/abort.js";
import type { Runtime } from "../runtime/runtime.js";
import { smallJson } from "../runtime/small-answers.js";

type OperationId = keyof operations;

/** An attempt is given up after this long without a byte. */
const silenceMillis = 30_000;
/** Uploads show no progress, so this rate is granted to them on top. */
const leastBytesPerSecond = 4_096;

/** A deadline for silence. It is aborted with the caller's signal, too. Call `end` when nothing is waited for any more. */
class Silence {
  readonly #controller = new AbortController();
  readonly #leave: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    const follow = () => this.#controller.abort(outer?.reason);
    if (outer?.aborted) follow();
    else if (outer !== undefined) this.#leave = onAbort(outer, follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Grants the usual time, and more for `bytes` that are sent. */
  expect(bytes = 0): void {
    clearTimeout(this.#timer);
    const millis = silenceMillis + (bytes / leastBytesPerSecond) * 1000;
    this.#timer = setTimeout(() => this.#controller.abort(new Error("nothing has arrived for too long")), millis);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#leave?.();
    this.#controller.abort();
  }
}

interface BlobRequest {
  operation: OperationId;
  url: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
  runtime: Runtime;
}

/** Sends bytes and returns the JSON of the success answer. Throws AnswerError or ConnectionError. */
export async function putBytes(request: BlobRequest, bytes: Uint8Array): Promise<Record<string, unknown>> {
  const { operation, url, headers, signal, runtime } = request;
  const silence = new Silence(signal);
  try {
    silence.expect(bytes.length);
    const init = { method: "PUT", headers, body: bytes as BufferSource, signal: silence.signal } as const;
    const response = await runtime.fetch(url, { ...init, redirect: "error", credentials: "omit" });
    const body = await jsonOf(response);
    if (!response.ok) throw refusalOf(operation, response, body);
    return body;
  } catch (failure) {
    throw failureOf(operation, failure, signal);
  } finally {
    silence.end();
  }
}

/** Bytes that arrive. */
export interface ArrivingBytes {
  response: Response;
  /** Throws AnswerError or ConnectionError. */
  chunks: AsyncIterable<Uint8Array>;
  /** Gives up the rest, also before the first of it was asked for. */
  end(): void;
}

/** Asks for bytes. Throws AnswerError or ConnectionError. */
export async function getBytes(request: BlobRequest): Promise<ArrivingBytes> {
  const { operation, url, headers, signal, runtime } = request;
  const silence = new Silence(signal);
  try {
    silence.expect();
    const response = await runtime.fetch(url, { headers, signal: silence.signal, credentials: "omit" });
    if (!response.ok) throw refusalOf(operation, response, await jsonOf(response));
    return { response, chunks: read(request, response, silence), end: () => silence.end() };
  } catch (failure) {
    silence.end();
    throw failureOf(operation, failure, signal);
  }
}

async function* read(
  { operation, signal }: BlobRequest,
  { body }: Response,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      silence.expect();
      const chunk = await reader?.read();
      silence.pause();
      if (chunk === undefined || chunk.done) return;
      yield chunk.value;
    }
  } catch (failure) {
    throw failureOf(operation, failure, signal);
  } finally {
    silence.end();
    reader?.cancel().catch(() => {});
  }
}

/** The members of a JSON answer; none if it is something else. */
async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await smallJson(response);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A refusal of the relay, or no answer if something between has refused. */
function refusalOf(operation: OperationId, response: Response, body: Record<string, unknown>): Error {
  const { status, headers } = response;
  if (isContractError(body)) return new AnswerError(operation, { status, headers, body });
  return new NoAnswer(`${status} without an error of the contract`, response);
}

function failureOf(operation: OperationId, failure: unknown, signal: AbortSignal | undefined): unknown {
  if (failure instanceof AnswerError || failure instanceof ConnectionError) return failure;
  return signal?.aborted ? signal.reason : new ConnectionError(operation, failure);
}
