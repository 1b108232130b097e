import { expect, test } from "vitest";
import { serveFixture } from "./fixture-server.js";
import { connectRaw } from "./raw.js";

const open = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";

for (const { title, request, status, message } of [
  {
    title: "headers beyond what is read",
    request: `GET /open HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`,
    status: 431,
    message: "the request line and the headers are larger than 16384 bytes",
  },
  {
    title: "what is not HTTP",
    request: "EHLO relay.example\r\n\r\n",
    status: 400,
    message: "the request is not HTTP/1.1 as RFC 9112 defines it",
  },
  {
    title: "two lengths of one body",
    request: "GET /open HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    status: 400,
    message: "the request is not HTTP/1.1 as RFC 9112 defines it",
  },
  {
    title: "a tunnel",
    request: "CONNECT relay.example:443 HTTP/1.1\r\nHost: relay.example:443\r\n\r\n",
    status: 400,
    message: "CONNECT is not served here",
  },
]) {
  test(`${title} gets an error of the catalogue that says what is wrong, and the connection ends`, async () => {
    const served = await serveFixture();
    const raw = connectRaw(served.port);
    raw.write(request);
    const answer = await raw.answer();
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({ error: "INVALID_REQUEST", message, code: 4000 });
    expect(answer.head).toMatch(/^connection: close$/im);
    await raw.closed;
  });
}

test("a request that ends before it is whole is told so", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.socket.end("GET /open HTTP/1.1\r\nHost: a\r\n");
  const answer = await raw.answer();
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({ message: "the request is not complete" });
  await raw.closed;
});

test("a request of HTTP/1.1 without a Host is INVALID_REQUEST, one of HTTP/1.0 needs none", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.write("GET /open HTTP/1.1\r\n\r\n");
  const answer = await raw.answer();
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({
    error: "INVALID_REQUEST",
    message: "the header Host is missing",
    details: [{ path: "header/host", message: "is missing" }],
  });
  raw.write(open);
  expect((await raw.answer()).status, "the connection goes on").toBe(200);
  raw.socket.destroy();
  const old = connectRaw(served.port);
  old.write("GET /open HTTP/1.0\r\n\r\n");
  expect((await old.answer()).status).toBe(200);
  expect(served.calls).toHaveLength(2);
});

test("an expectation that is none of HTTP's is ignored", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\n\r\n");
  expect((await raw.answer()).status).toBe(200);
  raw.socket.destroy();
});

test("what cannot be read behind a request takes nothing from that request's answer", async () => {
  let finish = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const served = await serveFixture({
    answers: {
      getOpen: async (call) => {
        await waiting;
        return call.reply({ status: 200, body: { said: "late" } });
      },
    },
  });
  const raw = connectRaw(served.port);
  raw.write(`${open}EHLO relay.example\r\n\r\n`);
  await expect.poll(() => served.calls.length).toBe(1);
  finish();
  const answer = await raw.answer();
  expect(answer.status).toBe(200);
  expect(answer.head).toMatch(/^connection: close$/im);
  await raw.closed;
});
