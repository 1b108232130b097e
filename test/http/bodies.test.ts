import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { parseTrustedProxies } from "../../src/platform/addresses/client-ip.js";
import { deviceToken, type FixtureServer, serveFixture, withJson } from "./fixture-server.js";
import { connectRaw, type RawConnection } from "./raw.js";

const head = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: a", "Content-Type: application/json", ...headers, "", ""].join("\r\n");
const authorization = "Authorization: Bearer device-1";

test("a body of another media type, charset or encoding is UNSUPPORTED_MEDIA_TYPE", async () => {
  const served = await serveFixture();
  const types = [
    "text/plain",
    "application/xml",
    "application/jsonx",
    "application/json; charset=utf-16",
    "application/json; charset=latin1",
    "application/json; a=1",
    "application/json; charset=utf-8; a=1",
    "multipart/form-data; boundary=a",
    "application/x-www-form-urlencoded",
  ];
  for (const type of types) {
    const answer = await served.send(
      "/things",
      withJson("POST", { name: "a" }, { ...deviceToken, "content-type": type }),
    );
    expect(answer, type).toMatchObject({ status: 415, body: { error: "UNSUPPORTED_MEDIA_TYPE", code: 4027 } });
  }
  const gzip = withJson("POST", { name: "a" }, { ...deviceToken, "content-encoding": "gzip" });
  expect(await served.send("/things", gzip)).toMatchObject({ status: 415 });
  expect(served.calls).toEqual([]);
});

test("a body without a media type is UNSUPPORTED_MEDIA_TYPE", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.write(`POST /things HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Length: 12\r\n\r\n{"name":"a"}`);
  const answer = await raw.answer();
  expect(answer.status).toBe(415);
  expect(JSON.parse(answer.text)).toMatchObject({ error: "UNSUPPORTED_MEDIA_TYPE" });
  raw.socket.destroy();
});

test("application/json is accepted in any case and with charset=utf-8", async () => {
  const served = await serveFixture();
  for (const type of [
    "application/json",
    "Application/JSON",
    "application/json; charset=UTF-8",
    'application/json;charset="utf-8"',
  ]) {
    const answer = await served.send(
      "/things",
      withJson("POST", { name: "a" }, { ...deviceToken, "content-type": type }),
    );
    expect(answer.status, type).toBe(202);
  }
});

test("a body that is not JSON in UTF-8 is INVALID_REQUEST, and is not quoted", async () => {
  const served = await serveFixture();
  for (const body of ["{bad-secret", '{"name":"a"', "", " ", '\uFEFF{"name":"a"}', "NaN", '{"name":"a"} x']) {
    if (body === "") continue;
    const answer = await served.send("/things", withJson("POST", body, deviceToken));
    expect(answer, body).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
    expect(JSON.stringify([answer.body, served.log])).not.toContain("secret");
  }
  const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const answer = await served.send("/things", { ...withJson("POST", "", deviceToken), body: bytes });
  expect(answer).toMatchObject({ status: 400, body: { message: "the body must be UTF-8" } });
});

test("text that no database can hold is INVALID_REQUEST", async () => {
  const served = await serveFixture();
  for (const name of ['"\\u0000"', '"\\ud800"', '"a\\uDFFFb"']) {
    const answer = await served.send("/things", withJson("POST", `{"name":${name}}`, deviceToken));
    expect(answer, name).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
  }
  const key = withJson("POST", '{"name":"a","nested":{"\\u0000":1}}', deviceToken);
  expect(await served.send("/things", key)).toMatchObject({ status: 400 });
  for (const name of ['"\\\\u0000"', '"\\ud83d\\ude00"', '"\\u00e9"']) {
    expect((await served.send("/things", withJson("POST", `{"name":${name}}`, deviceToken))).status, name).toBe(202);
  }
});

test("a body may be nested 32 deep and no deeper", async () => {
  const served = await serveFixture();
  const nested = (depth: number) =>
    `{"name":"{[","nested":${'{"a":'.repeat(depth - 1)}"}]\\"["${"}".repeat(depth - 1)}}`;
  expect((await served.send("/things", withJson("POST", nested(32), deviceToken))).status).toBe(202);
  const answer = await served.send("/things", withJson("POST", nested(33), deviceToken));
  expect(answer).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST", details: [{ path: "body" }] } });
  const brackets = withJson("POST", "[".repeat(90_000), deviceToken);
  expect(await served.send("/things", brackets)).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
});

test("a body holds no more values than may be parsed in a moment", async () => {
  const served = await serveFixture();
  const holding = (values: number) => `{"name":"a,b,c[{","nested":{"a":[${"1,".repeat(values - 5)}1]}}`;
  expect((await served.send("/things", withJson("POST", holding(1_000), deviceToken))).status).toBe(202);
  const answer = await served.send("/things", withJson("POST", holding(1_001), deviceToken));
  expect(answer).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST", details: [{ path: "body" }] } });
  expect(answer.body.message).toBe("the body must not hold more than 1000 values");
});

test("each operation has its own body limit, with the length announced or not", async () => {
  const served = await serveFixture();
  const thing = (bytes: number) => JSON.stringify({ name: "a".repeat(bytes - 11) });
  expect(thing(100)).toHaveLength(100);
  expect((await served.send("/things", withJson("POST", thing(100_000), deviceToken))).status).toBe(202);
  expect((await served.send("/things/special", withJson("PUT", thing(2_000)))).status).toBe(200);
  const tooLarge = { status: 413, body: { error: "MESSAGE_TOO_LARGE", code: 4015 } };
  expect(await served.send("/things", withJson("POST", thing(100_001), deviceToken))).toMatchObject(tooLarge);
  expect(await served.send("/things/special", withJson("PUT", thing(2_001)))).toMatchObject(tooLarge);

  const raw = connectRaw(served.port);
  raw.write(head("/things", authorization, "Transfer-Encoding: chunked"));
  for (let sent = 0; sent <= 100_000; sent += 10_000) raw.write(`2710\r\n${" ".repeat(10_000)}\r\n`);
  expect((await raw.answer()).status).toBe(413);
  raw.write("0\r\n\r\nGET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  expect((await raw.answer()).status, "the connection goes on").toBe(200);
  raw.socket.destroy();
});

test("bodies beyond the bytes in flight are OVERLOADED, and make room when they are answered", async () => {
  const served = await serveFixture({ config: { bodiesInFlightBytes: 150_000 } });
  const first = connectRaw(served.port);
  const name = "a".repeat(90_000);
  first.write(`${head("/things", authorization, "Content-Length: 90011")}{"name":"${name}`);
  await expect.poll(() => first.socket.writableLength).toBe(0);
  const large = withJson("POST", { name: "b".repeat(90_000) }, deviceToken);
  await expect.poll(async () => (await served.send("/things", large)).status, { interval: 20 }).toBe(503);
  const refused = await served.send("/things", large);
  expect(refused).toMatchObject({ status: 503, body: { error: "OVERLOADED", code: 5001 } });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await served.send("/things", withJson("POST", { name: "b" }, deviceToken))).status).toBe(202);
  first.write('"}');
  expect((await first.answer()).status).toBe(202);
  await expect.poll(async () => (await served.send("/things", large)).status).toBe(202);
  first.socket.destroy();
});

/** Begins a request without a token and leaves its body unfinished. */
function beginStrangersBody(served: FixtureServer, ip: string, bytes: number): RawConnection {
  const raw = connectRaw(served.port);
  const headers = [`X-Forwarded-For: ${ip}`, "Content-Type: application/json", "Content-Length: 2000"];
  raw.write(`PUT /things/special HTTP/1.1\r\nHost: a\r\n${headers.join("\r\n")}\r\n\r\n{"name":"${"a".repeat(bytes)}`);
  return raw;
}

test("bodies of those who have no token take nothing from those who have one, nor one address from another", async () => {
  const served = await serveFixture({
    trustedProxies: parseTrustedProxies(["127.0.0.1"]),
    config: { bodiesInFlightBytes: 4_000, unauthenticatedBodiesBytes: 4_500, unauthenticatedBodyBytesPerIp: 1_800 },
  });
  const from = (ip: string, bytes: number) =>
    served.send("/things/special", withJson("PUT", { name: "b".repeat(bytes) }, { "x-forwarded-for": ip }));
  const refused = { status: 503, body: { error: "OVERLOADED", code: 5001 } };

  const first = beginStrangersBody(served, "192.0.2.1", 1_500);
  await expect.poll(() => from("192.0.2.1", 500)).toMatchObject(refused);
  expect((await from("192.0.2.1", 500)).body.message).toContain("of this network address");
  expect((await from("192.0.2.2", 500)).status).toBe(200);
  const others = [beginStrangersBody(served, "2001:db8::1", 1_500), beginStrangersBody(served, "192.0.2.3", 1_200)];
  // An IPv6 address counts as its /64.
  await expect.poll(() => from("2001:db8::2", 500)).toMatchObject(refused);

  expect((await served.send("/things", withJson("POST", { name: "b".repeat(3_000) }, deviceToken))).status).toBe(202);
  // There is no room left: the body that has been arriving for longest goes.
  expect((await from("192.0.2.4", 500)).status).toBe(200);
  expect((await first.answer()).status).toBe(503);
  for (const raw of [first, ...others]) raw.socket.destroy();
});

test("the bodies of an IPv6 /48 take a multiple of what those of a /64 may take", async () => {
  const served = await serveFixture({
    trustedProxies: parseTrustedProxies(["127.0.0.1"]),
    config: { unauthenticatedBodiesBytes: 20_000, unauthenticatedBodyBytesPerIp: 1_800, ipv6SiteFactor: 2 },
  });
  const send = async (ip: string) => {
    const body = withJson("PUT", { name: "b".repeat(500) }, { "x-forwarded-for": ip });
    return (await served.send("/things/special", body)).status;
  };
  const held = ["2001:db8:1:1::1", "2001:db8:1:2::1"].map((ip) => beginStrangersBody(served, ip, 1_700));
  await expect.poll(() => send("2001:db8:1:3::1")).toBe(503);
  expect(await send("2001:db8:2:1::1")).toBe(200);
  for (const raw of held) raw.socket.destroy();
});

test("one caller's bodies take up no more than its part of the bodies in flight", async () => {
  const served = await serveFixture({ config: { bodyBytesPerCaller: 100_000 } });
  const raw = connectRaw(served.port);
  raw.write(`${head("/things", authorization, "Content-Length: 95000")}{"name":"${"a".repeat(90_000)}`);
  const send = (token: string) =>
    served.send("/things", withJson("POST", { name: "b".repeat(20_000) }, { authorization: `Bearer ${token}` }));
  await expect.poll(async () => (await send("device-1")).status).toBe(503);
  expect((await send("device-1")).body.message).toContain("of this caller");
  expect((await send("device-2")).status).toBe(202);
  raw.socket.destroy();
  await expect.poll(async () => (await send("device-1")).status).toBe(202);
});

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;

/** Waits until the relay has taken what was written, so that what is written next comes as a piece of its own. */
async function sent(raw: RawConnection): Promise<void> {
  await expect.poll(() => raw.socket.writableLength).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const framing of ["chunked", "with its length announced"] as const) {
  test(`after a refusal in the middle of a body ${framing}, the connection serves the next request`, async () => {
    const served = await serveFixture({ config: { bodiesInFlightBytes: 40_000 } });
    const chunked = framing === "chunked";
    const pieces = 20;
    const header = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${pieces * 10_000}`;
    for (const { path, token, status } of [
      // Over the limit of the operation; over the bytes in flight; without a token.
      { path: "/things", token: authorization, status: chunked ? 503 : 413 },
      { path: "/settings", token: "X: y", status: 405 },
      { path: "/things", token: "X: y", status: 401 },
    ]) {
      const raw = connectRaw(served.port);
      raw.write(head(path, token, header));
      for (let at = 0; at < pieces; at++) {
        raw.write(chunked ? chunk(10_000) : " ".repeat(10_000));
        await sent(raw);
      }
      expect((await raw.answer()).status, path).toBe(status);
      raw.write(`${chunked ? "0\r\n\r\n" : ""}GET /open HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await raw.answer()).status, `after ${status}`).toBe(200);
      raw.socket.destroy();
    }
  });
}

for (const { config, status } of [
  { config: {}, status: 413 },
  { config: { bodiesInFlightBytes: 40_000 }, status: 503 },
]) {
  test(`a chunked body that is refused with ${status} as it comes is thrown away up to its end`, async () => {
    const served = await serveFixture({ config });
    const raw = connectRaw(served.port);
    raw.write(head("/things", authorization, "Transfer-Encoding: chunked"));
    for (let at = 0; at < 20; at++) {
      raw.write(chunk(10_000));
      await sent(raw);
    }
    expect((await raw.answer()).status).toBe(status);
    raw.write("0\r\n\r\nGET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    expect((await raw.answer()).status).toBe(200);
    raw.socket.destroy();
  });
}

test("a refused body that does not end is not waited for, and its connection closes without a second answer", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 0.3, headersTimeoutSeconds: 0.3 } });
  for (const [path, token, status] of [
    ["/things", authorization, 413],
    ["/things", "X: y", 401],
  ] as const) {
    const raw = connectRaw(served.port);
    raw.write(head(path, token, "Transfer-Encoding: chunked"));
    for (let at = 0; at < 12; at++) raw.write(chunk(10_000));
    expect((await raw.answer()).status).toBe(status);
    await raw.closed;
    await expect(raw.answer()).rejects.toThrow(/ended after: $/);
  }
});

test("a body that stops arriving is REQUEST_TIMEOUT, and its connection is closed", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 0.3, headersTimeoutSeconds: 0.3 } });
  const raw = connectRaw(served.port);
  raw.write(`${head("/things", authorization, "Content-Length: 100")}{"name":`);
  const answer = await raw.answer();
  expect(answer.status).toBe(408);
  expect(JSON.parse(answer.text)).toMatchObject({ error: "REQUEST_TIMEOUT", code: 4040 });
  await raw.closed;
  expect(served.calls).toEqual([]);
});

/** Writes one part of a body after the other, with pauses. */
async function writeSlowly(raw: RawConnection, parts: number, part: string, pauseMillis: number): Promise<void> {
  for (let at = 0; at < parts && !raw.socket.destroyed; at++) {
    raw.write(part);
    await new Promise((resolve) => setTimeout(resolve, pauseMillis));
  }
}

test("a body takes as long as it needs while it keeps arriving", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 1, slowestBytesPerSecond: 10 } });
  const raw = connectRaw(served.port);
  raw.write(`${head("/things", authorization, "Content-Length: 3011")}{"name":"`);
  await writeSlowly(raw, 30, "a".repeat(100), 100);
  raw.write('"}');
  expect((await raw.answer()).status).toBe(202);
  raw.socket.destroy();
});

test("a body that arrives more slowly than the least rate is REQUEST_TIMEOUT", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 0.5, slowestBytesPerSecond: 1_000 } });
  const raw = connectRaw(served.port);
  const answer = raw.answer();
  raw.write(`${head("/things", authorization, "Content-Length: 5000")}{"name":"`);
  await writeSlowly(raw, 100, "a", 20);
  expect((await answer).status).toBe(408);
  raw.socket.destroy();
});

test("the rest of a refused body is not read for ever if it trickles", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 0.5, slowestBytesPerSecond: 1_000 } });
  const raw = connectRaw(served.port);
  raw.write(`${head("/things", "X: y", "Content-Length: 50000")}{"name":"`);
  expect((await raw.answer()).status).toBe(401);
  await writeSlowly(raw, 100, "a", 20);
  await raw.closed;
});

test("of slow bodies the oldest is given up where there are too many, of one caller or at all", async () => {
  for (const bound of [{ slowBodiesPerCaller: 2 }, { slowBodiesPerNode: 2 }]) {
    const served = await serveFixture({ config: { bodyStallSeconds: 0.5, ...bound } });
    const bodies = Array.from({ length: 3 }, () => connectRaw(served.port));
    const answers = bodies.map((raw) => raw.answer());
    let begun = 0;
    for (const raw of bodies) {
      raw.write(`${head("/things", authorization, "Content-Length: 90011")}{"name":"`);
      const slowly = writeSlowly(raw, 1_000, "a", 20);
      if (++begun < 3) await writeSlowly(raw, 40, "a", 20);
      slowly.catch(() => undefined);
    }
    expect((await (answers[0] as (typeof answers)[0])).status).toBe(408);
    for (const raw of bodies) raw.socket.destroy();
    await Promise.allSettled(answers);
  }
});

test("headers that do not arrive in time end the connection", async () => {
  const served = await serveFixture({ config: { bodyStallSeconds: 0.3, headersTimeoutSeconds: 0.3 } });
  const raw = connectRaw(served.port);
  raw.write("POST /things HTTP/1.1\r\nHost: a\r\n");
  expect((await raw.answer()).status).toBe(408);
  await raw.closed;
});

test("a body whose sender goes away is forgotten", async () => {
  const served = await serveFixture({ config: { bodiesInFlightBytes: 100_000 } });
  for (let round = 0; round < 3; round++) {
    const raw = connectRaw(served.port);
    raw.write(`${head("/things", authorization, "Content-Length: 99000")}{"name":"${"a".repeat(90_000)}`);
    await expect.poll(() => raw.socket.writableLength).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    raw.socket.destroy();
    await raw.closed;
  }
  const large = withJson("POST", { name: "b".repeat(90_000) }, deviceToken);
  await expect.poll(async () => (await served.send("/things", large)).status).toBe(202);
  await expect.poll(() => served.log.filter((line) => line["aborted"] === true).length).toBe(3);
});

test("without a valid token no byte of the body is read", async () => {
  const served = await serveFixture();
  const consumed: string[] = [];
  const spy = createServer((req, res) => {
    req.on("newListener", (event: string) => consumed.push(event));
    served.http.listener(req, res);
  });
  spy.on("checkContinue", served.http.listener);
  spy.listen(0, "127.0.0.1");
  await once(spy, "listening");
  const raw = connectRaw((spy.address() as AddressInfo).port);
  raw.write(head("/things", "Content-Length: 50000", "Authorization: Bearer admin-1"));
  expect((await raw.answer()).status).toBe(401);
  expect(consumed).not.toContain("data");
  expect(consumed).not.toContain("readable");
  raw.socket.destroy();
  await new Promise((resolve) => spy.close(resolve));
});

test("a sender that waits for a 100 Continue gets it only when the body is wanted", async () => {
  const served = await serveFixture();
  const refused = connectRaw(served.port);
  refused.write(head("/things", "Expect: 100-continue", "Content-Length: 12"));
  expect((await refused.answer()).status).toBe(401);
  refused.socket.destroy();
  const wanted = connectRaw(served.port);
  wanted.write(head("/things", authorization, "Expect: 100-continue", "Content-Length: 12"));
  expect((await wanted.answer()).status).toBe(100);
  wanted.write('{"name":"a"}');
  expect((await wanted.answer()).status).toBe(202);
  wanted.socket.destroy();
});

test("a body that an operation does not take is ignored", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");
  expect((await raw.answer()).status).toBe(200);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  expect((await raw.answer()).status).toBe(200);
  raw.socket.destroy();
});

test("a body is read alike however it comes: whole behind another request, in pieces, chunked with trailers, by HTTP/1.0", async () => {
  const served = await serveFixture();
  const body = '{"name":"a"}';
  const whole = `${head("/things", authorization, `Content-Length: ${body.length}`)}${body}`;
  const expecting = `${head("/things", authorization, "Expect: 100-continue", `Content-Length: ${body.length}`)}${body}`;
  const chunked = (end: string) =>
    `${head("/things", authorization, "Transfer-Encoding: chunked", "Trailer: X-Sum")}5\r\n{"nam\r\n7\r\ne":"a"}\r\n${end}`;
  const raw = connectRaw(served.port);
  raw.write(`${whole}${expecting}${chunked("0\r\nX-Sum: 1\r\n\r\n")}${whole}`);
  for (const status of [202, 100, 202, 202, 202]) expect((await raw.answer()).status).toBe(status);
  for (const piece of [whole.slice(0, -6), whole.slice(-6, -1), whole.slice(-1)]) {
    raw.write(piece);
    await sent(raw);
  }
  expect((await raw.answer()).status).toBe(202);
  raw.write(whole.replace("HTTP/1.1", "HTTP/1.0"));
  expect((await raw.answer()).status).toBe(202);
  await raw.closed;
  expect(served.calls.map((call) => call.body)).toEqual(Array.from({ length: 6 }, () => ({ name: "a" })));
});

test("an empty chunked body is INVALID_REQUEST, and the connection serves the next request", async () => {
  const served = await serveFixture();
  const raw = connectRaw(served.port);
  raw.write(`${head("/things", authorization, "Transfer-Encoding: chunked")}0\r\n\r\n`);
  expect((await raw.answer()).status).toBe(400);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
  expect((await raw.answer()).status).toBe(200);
  raw.socket.destroy();
});

test("a whole body whose sender goes away before it is read takes no room", async () => {
  const asked = new Set<() => void>();
  const device = async () => {
    await new Promise<void>((resolve) => asked.add(resolve));
    return { kind: "device", deviceId: "1", permissions: [] };
  };
  const served = await serveFixture({
    authenticators: { device, admin: device, federation: device },
    config: { bodiesInFlightBytes: 1_500 },
  });
  const body = JSON.stringify({ name: "a".repeat(1_000) });
  const request = `${head("/things", authorization, `Content-Length: ${body.length}`)}${body}`;
  for (let round = 1; round <= 3; round++) {
    const raw = connectRaw(served.port);
    raw.write(request);
    await expect.poll(() => asked.size).toBe(1);
    raw.socket.destroy();
    await expect.poll(() => served.log.filter((line) => line["aborted"] === true).length).toBe(round);
    for (const go of asked) go();
    asked.clear();
  }
  const last = connectRaw(served.port);
  last.write(request);
  await expect.poll(() => asked.size).toBe(1);
  for (const go of asked) go();
  expect((await last.answer()).status).toBe(202);
  last.socket.destroy();
});
