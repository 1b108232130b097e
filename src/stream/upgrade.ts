import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBody, type RelayError } from "../protocol/errors.js";

/** Answers an upgrade request with an error of the catalogue and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: RelayError): void {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
    ...error.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // The client may be gone already; then there is nobody to tell.
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  socket.once("finish", () => socket.destroy());
}
