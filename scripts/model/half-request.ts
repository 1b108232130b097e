import { connect } from "node:net";

/** Sends the head of a request and half of its body. Returns what closes the connection. */
export async function sendHalf(
  url: string,
  { method, path, token, body }: { method: string; path: string; token: string; body: unknown },
): Promise<() => void> {
  const { port, hostname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const text = JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  const half = text.slice(0, text.length / 2);
  await new Promise<void>((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n${half}`, () => resolve()));
  return () => socket.destroy();
}
