import { type Answers, answerShapes } from "../../../generated/answer-shapes.js";
import type { operations } from "../../../generated/openapi-types.js";
import { fits } from "../runtime/contract-shapes.js";
import { AnswerError, isContractError, NoAnswer } from "./failures.js";

type OperationId = keyof operations;

/** A relay's answer of success. */
export interface Exchanged<B> {
  status: number;
  headers: Headers;
  body: B;
}

/** By operation and status. The package has no types of the shapes themselves, which only this file reads. */
export type AnswerShapes = Readonly<Record<string, Readonly<Record<number, unknown>>>>;

interface ReadOptions {
  /** Default: those of the operations for devices and for everybody. */
  shapes?: AnswerShapes | undefined;
  isConditional: boolean;
  onBytes: () => void;
}

/** For an operation whose answers are not known here. */
const anyObject: Answers = { 200: {}, 201: {}, 202: {} };

/**
 * Reads an answer. Whatever does not have the contract's form comes from something between the client and the relay, such
 * as a proxy or a maintenance page. Throws AnswerError if the relay refuses, and NoAnswer if no relay has answered.
 */
export async function readAnswer(
  operation: OperationId,
  response: Response,
  { shapes = answerShapes, isConditional, onBytes }: ReadOptions,
): Promise<Exchanged<unknown>> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  const body = parsedIfJson(await textOf(response, onBytes), type);
  if (status === 304 && isConditional) return { status, headers, body: undefined };
  const expected = ((shapes as Readonly<Record<string, Answers>>)[operation] ?? anyObject)[status];
  if (expected !== undefined && isExpected(body, expected, type)) return { status, headers, body };
  if (status >= 400 && isContractError(body)) throw new AnswerError(operation, { status, headers, body });
  throw new NoAnswer(
    `${status} with ${type === "" ? "no content type" : type}, which is no answer of a relay`,
    response,
  );
}

function isExpected(body: unknown, expected: Answers[number], type: string): boolean {
  if (typeof expected !== "string" || expected.length === 1) return fits(body, expected as never);
  return expected.split(" ").some((media) => type.startsWith(media));
}

function parsedIfJson(text: string, type: string): unknown {
  if (!/\bjson\b/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads piece by piece, so that a large answer over a slow link is not taken for silence. */
async function textOf(response: Response, onBytes: () => void): Promise<string> {
  if (response.body === null || response.body === undefined) return response.text();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onBytes();
    parts.push(decoder.decode(next.value, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join("");
}
