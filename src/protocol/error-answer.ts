import { errorBody, type RelayError } from "./errors.js";

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
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": new TextEncoder().encode(body).length,
    "Cache-Control": "no-store",
    Connection: "close",
    ...retryAfter(error),
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** If the body of the error says when to try again. */
function retryAfter({ extras }: RelayError): Record<string, number> {
  const { retry_after: seconds } = extras;
  return typeof seconds === "number" ? { "Retry-After": Math.ceil(seconds) } : {};
}
