import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { type Call, type FixtureServer, serveFixture } from "./fixture-server.js";
import { connectRaw, type RawConnection } from "./raw.js";
import { selfSigned } from "./self-signed.js";

const perConnection = 4;
const bounds = { pipelinedRequestsPerConnection: perConnection };

function requestFor(thing: number | string): string {
  return `GET /things/${thing} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** As much as Node.js reads of a connection at once. */
const blockBytes = 65_536;
const block = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(blockBytes / 29 + 1).slice(0, blockBytes);

/** A server whose handlers of `getThing` answer when they are told to. */
async function serveSlowly(config: Partial<typeof bounds & { pipelinedRequestsPerNode: number }> = {}) {
  const waiting = new Map<string, () => void>();
  const served = await serveFixture({
    config: { ...bounds, ...config },
    answers: {
      getThing: async (call: Call) => {
        const name = String(call.params["thing_id"]);
        await new Promise<void>((resolve) => waiting.set(name, resolve));
        return call.reply({ status: 200, body: { said: name } });
      },
    },
  });
  return { ...served, answer: (name: string) => waiting.get(name)?.() };
}

async function said(raw: RawConnection): Promise<string> {
  const { status, text } = await raw.answer();
  expect(status).toBe(200);
  return JSON.parse(text).said;
}

const begun = (served: FixtureServer, count: number) => expect.poll(() => served.calls.length).toBe(count);

test("as many requests as may wait are answered in their order, whichever is done first, and again after that", async () => {
  const served = await serveSlowly();
  const raw = connectRaw(served.port);
  for (let round = 1; round <= 3; round++) {
    raw.write(["a", "b", "c", "d"].map(requestFor).join(""));
    await begun(served, round * perConnection);
    for (const name of ["d", "b", "c", "a"]) served.answer(name);
    expect([await said(raw), await said(raw), await said(raw), await said(raw)]).toEqual(["a", "b", "c", "d"]);
  }
  raw.socket.destroy();
});

test("of more requests than may wait the first are answered, none of the others begins, and the connection ends", async () => {
  const served = await serveSlowly();
  const raw = connectRaw(served.port);
  raw.write([..."abcdefghijkl"].map(requestFor).join(""));
  await begun(served, perConnection);
  for (const name of ["d", "c", "b", "a"]) served.answer(name);
  expect([await said(raw), await said(raw), await said(raw), await said(raw)]).toEqual(["a", "b", "c", "d"]);
  await raw.closed;
  expect(raw.rest()).toBe("");
  expect(served.calls).toHaveLength(perConnection);
});

test("the last answer says that the connection ends, where it was written after that was known", async () => {
  const served = await serveSlowly();
  const raw = connectRaw(served.port);
  raw.write([..."abcde"].map(requestFor).join(""));
  await begun(served, perConnection);
  for (const name of ["a", "b", "c", "d"]) served.answer(name);
  const heads = [];
  for (let i = 0; i < perConnection; i++) heads.push((await raw.answer()).head);
  expect(heads.map((head) => /^connection: close$/im.test(head))).toEqual([false, false, false, true]);
  await raw.closed;
});

test("a block of requests for a route that there is none of is answered no further than the bound", async () => {
  const served = await serveFixture({ config: bounds });
  const raw = connectRaw(served.port);
  raw.write(block);
  await raw.closed;
  expect(raw.rest().match(/HTTP\/1\.1 404 /g)).toHaveLength(perConnection);
  expect(served.log.filter(({ msg }) => msg === "request")).toHaveLength(perConnection);
});

test("over TLS the same bound holds", async () => {
  const served = await serveFixture({ config: bounds, tls: await selfSigned() });
  const socket = connectTls({ port: served.port, host: "127.0.0.1", rejectUnauthorized: false });
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(requestFor("a").repeat(blockBytes / requestFor("a").length));
  await closed;
  expect(served.calls).toHaveLength(perConnection);
  expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(perConnection);
});

test("requests behind others are bounded over all connections, while each connection has one", async () => {
  const served = await serveSlowly({ pipelinedRequestsPerNode: 2 });
  const greedy = connectRaw(served.port);
  greedy.write(["a", "b", "c"].map(requestFor).join(""));
  await begun(served, 3);
  const others = [connectRaw(served.port), connectRaw(served.port)];
  for (const [at, raw] of others.entries()) raw.write(requestFor(`${at}`) + requestFor("behind"));
  await begun(served, 5);
  for (const [at, raw] of others.entries()) {
    served.answer(`${at}`);
    expect(await said(raw)).toBe(`${at}`);
    await raw.closed;
  }
  expect(served.calls.map(({ params }) => params["thing_id"])).not.toContain("behind");

  // The room comes back with the end of a connection, whose answers were never sent.
  greedy.socket.destroy();
  await expect.poll(() => answersToThree(served.port)).toBe(3);
});

async function answersToThree(port: number): Promise<number> {
  const raw = connectRaw(port);
  raw.write("GET /open HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
  let count = 0;
  try {
    while (count < 3) {
      await raw.answer();
      count++;
    }
  } catch {
    // The connection has ended.
  }
  raw.socket.destroy();
  return count;
}

test("what cannot be read behind several requests takes nothing from any of their answers", async () => {
  const served = await serveSlowly();
  const raw = connectRaw(served.port);
  raw.write(`${requestFor("a")}${requestFor("b")}EHLO relay.example\r\n\r\n`);
  await begun(served, 2);
  served.answer("b");
  served.answer("a");
  expect([await said(raw), await said(raw)]).toEqual(["a", "b"]);
  await raw.closed;
  expect(raw.rest()).toBe("");
});

test("where a connection breaks, handlers whose answers wait behind another one learn of it too", async () => {
  const gone: string[] = [];
  const served = await serveFixture({
    answers: {
      getThing: (call) =>
        new Promise(() => {
          call.gone().addEventListener("abort", () => gone.push(String(call.params["thing_id"])));
        }),
    },
  });
  const raw = connectRaw(served.port);
  raw.write(["a", "b", "c"].map(requestFor).join(""));
  await begun(served, 3);
  raw.socket.destroy();
  await expect.poll(() => gone.toSorted()).toEqual(["a", "b", "c"]);
});
