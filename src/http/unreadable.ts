import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorAnswer } from "../protocol/error-answer.js";
import { RelayError } from "../protocol/errors.js";

/** What Node keeps on a connection of its HTTP server. */
interface HttpSocket extends Socket {
  /** The answer whose turn it is, until its end. */
  _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null;
  /** `incoming` is the request whose headers have come, until its end. */
  parser?: { incoming?: IncomingMessage | null } | null;
}

/**
 * What cannot be read never reaches a route. It is answered here, in the catalogue's form all the same, where the client
 * waits for an answer; a status of HTTP's own says more than the catalogue's 400, to proxies above all.
 *
 * A connection that was opened in advance and never used is closed without a word: what it asks at that moment would
 * take it for its answer. The same holds where the request at fault has had its answer already, and only the rest of
 * its body did not come.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  const answering = socket._httpMessage ?? null;
  if (answering?.req.complete === true) {
    closeAfter(answering, socket);
    return;
  }
  const isAnswered = answering === null && (socket.parser?.incoming ?? null) !== null;
  if (socket.writable && socket.bytesRead > 0 && !isAnswered && answering?.headersSent !== true) {
    socket.write(answerTo(error));
  }
  socket.destroySoon();
}

/** A tunnel is none of the contract's operations. */
export function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.end(refusal(400, "CONNECT is not served here."), () => socket.destroy());
}

/** The fault lies in what came after a request that is being answered: its answer is not to be lost. */
function closeAfter(answering: ServerResponse, socket: Socket): void {
  answering.shouldKeepAlive = false;
  socket.pause();
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") {
    return refusal(431, `The request line and the headers are larger than ${maxHeaderSize} bytes.`);
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return refusal(408, "The request did not arrive in time.");
  if (code === "HPE_INVALID_EOF_STATE") return refusal(400, "The request is not complete.");
  return refusal(400, "The request is not HTTP/1.1 as RFC 9112 has it.");
}

function refusal(status: number, message: string): string {
  return errorAnswer(new RelayError("INVALID_REQUEST", message), { status, reason: STATUS_CODES[status] ?? "" });
}
