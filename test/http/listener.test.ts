import { once } from "node:events";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { serveFixture } from "./fixture-server.js";
import { connectRaw } from "./raw.js";
import { selfSigned } from "./self-signed.js";

test("closing lets an open request finish and takes no further connection", async () => {
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
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => served.calls.length).toBe(1);
  const closed = served.http.close(10);
  await expect(fetch(`${served.url}/open`)).rejects.toThrow();
  finish();
  expect((await raw.answer()).status).toBe(200);
  await closed;
});

test("closing cuts what does not finish in its time", async () => {
  const served = await serveFixture({ answers: { getOpen: () => new Promise(() => undefined) } });
  const raw = connectRaw(served.port);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => served.calls.length).toBe(1);
  await served.http.close(0.05);
  await raw.closed;
});

test("a connection that asks nothing is closed without a word, one that asks half a question is told", async () => {
  const served = await serveFixture({ config: { headersTimeoutSeconds: 0.3, bodyStallSeconds: 0.3 } });
  const [silent, half] = [connectRaw(served.port), connectRaw(served.port)];
  half.write("GET /open HTTP/1.1\r\n");
  expect((await half.answer()).status).toBe(408);
  await silent.closed;
  expect(silent.socket.bytesRead).toBe(0);
});

test("with a certificate it speaks TLS 1.3 and nothing older", async () => {
  const served = await serveFixture({ tls: await selfSigned() });
  const modern = connect({ port: served.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(modern, "secureConnect");
  expect(modern.getProtocol()).toBe("TLSv1.3");
  modern.write("GET /open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const [answer] = await once(modern, "data");
  expect(String(answer)).toContain("200 OK");
  modern.destroy();
  const old = connect({ port: served.port, host: "127.0.0.1", rejectUnauthorized: false, maxVersion: "TLSv1.2" });
  const [error] = await once(old, "error");
  expect(String(error)).toMatch(/protocol version/i);
});

test("a request that offers another protocol than WebSocket is an ordinary one, body and all", async () => {
  const served = await serveFixture();
  const upgrades: (string | undefined)[] = [];
  served.http.server.on("upgrade", (request, socket) => {
    upgrades.push(request.headers.upgrade);
    socket.destroy();
  });
  const raw = connectRaw(served.port);
  const h2c = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  raw.write(`GET /open HTTP/1.1\r\n${h2c}\r\n`);
  expect((await raw.answer()).status).toBe(200);
  const body = '{"size":1}';
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  raw.write(`PATCH /settings HTTP/1.1\r\n${h2c}${json}\r\n${body}`);
  await raw.answer();
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  expect((await raw.answer()).status).toBe(200);
  expect(upgrades).toEqual([]);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\n\r\n");
  await raw.closed;
  expect(upgrades).toEqual(["WebSocket"]);
});
