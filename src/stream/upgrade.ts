import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorAnswer } from "../protocol/error-answer.js";
import { RelayError } from "../protocol/errors.js";

/** Answers an upgrade request with an error of the catalogue and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: RelayError): void {
  const { status } = error;
  // The client may be gone already; then there is nobody to tell.
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end(errorAnswer(error, { status, reason: STATUS_CODES[status] ?? "" }));
}

/** What is wrong with a request that asks for a WebSocket and is no handshake (RFC 6455, section 4.2). */
export function badHandshake(error: Error, { method }: IncomingMessage): RelayError {
  if (method !== "GET") {
    return new RelayError("METHOD_NOT_ALLOWED", "A stream is opened by GET.", { headers: { Allow: "GET" } });
  }
  const headers = { "Sec-WebSocket-Version": "13" };
  return new RelayError("INVALID_REQUEST", `The WebSocket handshake is not right: ${error.message}.`, { headers });
}
