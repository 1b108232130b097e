import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A minimal HTTP/1.1 connection: one request after the other, answers with a Content-Length. */
export interface Wire {
  /** Sends the text of a request and returns status and body. */
  ask(request: string): Promise<{ status: number; body: string }>;
  close(): void;
}

/** With a CA (PEM) it uses TLS, to a server whose certificate names localhost. */
export async function openWire(port: number, ca?: string): Promise<Wire> {
  const socket = ca === undefined ? connect(port, "127.0.0.1") : connectTls({ port, host: "localhost", ca });
  socket.setNoDelay(true);
  await new Promise<void>((settle, fail) => {
    socket.once(ca === undefined ? "connect" : "secureConnect", settle);
    socket.once("error", fail);
  });
  return new BareWire(socket);
}

/** The text of a request. `json` is a body that is serialised already. All of it is ASCII, so characters are bytes. */
export function requestText(
  method: string,
  path: string,
  given: { token?: string; body?: unknown; json?: string } = {},
): string {
  const body = given.json ?? (given.body === undefined ? "" : JSON.stringify(given.body));
  const lines = [`${method} ${path} HTTP/1.1`, "Host: relay.bench", `Content-Length: ${body.length}`];
  if (given.token !== undefined) lines.push(`Authorization: Bearer ${given.token}`);
  if (body !== "") lines.push("Content-Type: application/json");
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

class BareWire implements Wire {
  private readonly socket: Socket;
  private held = "";
  private settle: ((answer: { status: number; body: string }) => void) | undefined;
  private fail: ((problem: Error) => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    // Answers to the benchmark are ASCII, so characters are bytes.
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.take(text));
    socket.on("error", (problem) => this.fail?.(problem));
    socket.on("close", () => this.fail?.(new Error("the connection was closed")));
  }

  ask(request: string): Promise<{ status: number; body: string }> {
    return new Promise((settle, fail) => {
      this.settle = settle;
      this.fail = fail;
      this.socket.write(request, "latin1");
    });
  }

  close(): void {
    this.fail = undefined;
    this.socket.destroy();
  }

  private take(text: string): void {
    this.held += text;
    const head = this.held.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.held.slice(0, head + 2))?.[1] ?? 0);
    const end = head + 4 + length;
    if (this.held.length < end) return;
    const answer = { status: Number(this.held.slice(9, 12)), body: this.held.slice(head + 4, end) };
    this.held = this.held.slice(end);
    this.settle?.(answer);
  }
}
