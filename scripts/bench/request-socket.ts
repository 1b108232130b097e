import { openBareSocket, type SocketAddress } from "./bare-socket.js";

/** An HTTP/1.1 connection with one request at a time, for answers with a Content-Length. */
export interface RequestSocket {
  /** Sends a request. Its bytes must not change until the answer has come. */
  send(request: Buffer): void;
  close(): void;
}

interface RequestEvents {
  /** A complete answer, including its head. Its memory is reused after this call. */
  answered(answer: Buffer): void;
  failed(problem: Error): void;
}

const headEnd = Buffer.from("\r\n\r\n");
/** The end of the name of Content-Length, in either case. */
const lengthName = Buffer.from("ength: ");
const statusAt = 9;
const [zero, nine] = [0x30, 0x39];

export async function openRequestSocket(at: SocketAddress, events: RequestEvents): Promise<RequestSocket> {
  let held: Buffer | undefined;
  let isClosed = false;
  const read = (bytes: Buffer): void => {
    const all = held === undefined ? bytes : Buffer.concat([held, bytes]);
    if (isWhole(all)) {
      held = undefined;
      events.answered(all);
    } else held = Buffer.from(all);
  };
  const socket = await openBareSocket(at, { read, ended: (problem) => isClosed || events.failed(problem) });
  return {
    send: (request) => void socket.write(request),
    close() {
      isClosed = true;
      socket.destroy();
    },
  };
}

export function statusOf(answer: Buffer): number {
  return numberAt(answer, statusAt);
}

/** The number that follows a text in an answer; undefined if the text is not in it. */
export function numberAfter(answer: Buffer, text: Buffer): number | undefined {
  const at = answer.indexOf(text);
  return at < 0 ? undefined : numberAt(answer, at + text.length);
}

function isWhole(bytes: Buffer): boolean {
  const head = bytes.indexOf(headEnd);
  if (head < 0) return false;
  return bytes.length >= head + headEnd.length + (numberAfter(bytes, lengthName) ?? 0);
}

function numberAt(bytes: Buffer, start: number): number {
  let number = 0;
  for (let at = start; isDigit(bytes[at]); at++) number = 10 * number + (bytes[at] as number) - zero;
  return number;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}
