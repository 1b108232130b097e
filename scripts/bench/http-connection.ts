import { openRequestSocket } from "./request-socket.js";

/** A minimal HTTP/1.1 connection: one request after the other, answers with a Content-Length. */
export interface HttpConnection {
  /** Sends the text of a request and returns status and body. */
  ask(request: string): Promise<{ status: number; body: string }>;
  close(): void;
}

/** With a CA (PEM) it uses TLS, to a server whose certificate names localhost. */
export async function openConnection(port: number, ca?: string): Promise<HttpConnection> {
  let settle: (answer: { status: number; body: string }) => void = () => undefined;
  let failed: (problem: Error) => void = () => undefined;
  const answered = (answer: Buffer): void => {
    // Answers to the benchmark are ASCII, so characters are bytes.
    const text = answer.toString("latin1");
    settle({ status: Number(text.slice(9, 12)), body: text.slice(text.indexOf("\r\n\r\n") + 4) });
  };
  const socket = await openRequestSocket({ port, ca }, { answered, failed: (problem) => failed(problem) });
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        [settle, failed] = [resolve, reject];
        socket.send(Buffer.from(request, "latin1"));
      }),
    close: () => socket.close(),
  };
}

/** The text of a request. `json` is an already serialised body. All of it is ASCII, so characters are bytes. */
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
