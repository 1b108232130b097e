import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { endAfterAnswers } from "../../platform/net/pipelining.js";
import { RelayError } from "../../protocol/errors.js";
import { errorAnswer } from "../../protocol/raw-error-answer.js";

/** The fields that Node keeps on a connection of its HTTP server. */
interface HttpSocket extends Socket {
  /** The answer that is being sent. */
  _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null;
  /** `incoming` is the request whose headers have arrived, until the request is complete. */
  parser?: { incoming?: IncomingMessage | null } | null;
}

/**
 * Answers bytes that Node cannot parse as a request, and which therefore reach no route. If the client waits for an
 * answer, the answer has the catalogue's form, with the specific HTTP status, which tells more than the catalogue's
 * 400, above all to proxies.
 *
 * A connection that was opened in advance and never used is closed without an answer: a client that sends a request at
 * that moment would take it for the request's answer. The same applies if the faulty request has already been answered
 * and only the rest of its body did not arrive. Answers to earlier requests must not be lost, so nothing is written
 * between them.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  if (endAfterAnswers(socket)) return;
  const answering = socket._httpMessage ?? null;
  const isAnswered = answering === null && (socket.parser?.incoming ?? null) !== null;
  if (socket.writable && socket.bytesRead > 0 && !isAnswered && answering?.headersSent !== true) {
    socket.write(answerTo(error));
  }
  socket.destroySoon();
}

/** Refuses CONNECT: the contract has no tunnels. */
export function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.end(refusal(400, "CONNECT is not served here"), () => socket.destroy());
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") {
    return refusal(431, `the request line and the headers are larger than ${maxHeaderSize} bytes`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const error = new RelayError("REQUEST_TIMEOUT", "the headers did not arrive in time");
    return errorAnswer(error, { status: error.status, reason: STATUS_CODES[error.status] ?? "" });
  }
  if (code === "HPE_INVALID_EOF_STATE") return refusal(400, "the request is not complete");
  return refusal(400, "the request is not HTTP/1.1 as RFC 9112 defines it");
}

function refusal(status: number, message: string): string {
  return errorAnswer(new RelayError("INVALID_REQUEST", message), { status, reason: STATUS_CODES[status] ?? "" });
}
