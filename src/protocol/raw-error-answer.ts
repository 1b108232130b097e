import { errorBody, type RelayError, requestedSeconds } from "./errors.js";

/** What the answer says besides the error. */
interface AnswerLine {
  status: number;
  /** The reason phrase that HTTP has for the status. */
  reason: string;
}

/**
 * An error of the catalogue as the text of a whole HTTP answer, after which the connection closes: for what is refused
 * before there is a request that could be answered, and for upgrades.
 */
export function errorAnswer(error: RelayError, { status, reason }: AnswerLine): string {
  const body = JSON.stringify(errorBody(error));
  const seconds = requestedSeconds(error);
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": new TextEncoder().encode(body).length,
    "Cache-Control": "no-store",
    Connection: "close",
    ...error.headers,
    ...(seconds !== undefined && { "Retry-After": seconds }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
