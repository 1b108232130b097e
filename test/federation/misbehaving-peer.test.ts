import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { routes } from "../../generated/routes.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { demand, newDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { tableOf } from "../support/table.js";
import { eventually } from "./outbox-fixture.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";

const mebibyte = 1024 * 1024;

let fixture: PeerFixture;
let relay: PeerRelay;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay({
    // A busy machine may take seconds for an ordinary call; each one that runs out is repeated.
    federationRequestTimeoutSeconds: 5,
    federationConnectTimeoutSeconds: 5,
    federationResponseBytes: mebibyte,
    discoveryFailureCacheSeconds: 600,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await fixture.stop();
});

const prefix = "00000000-0000-4000-8000-00000000000";
const recipients = new Map<string, string>();
/** Messages to one recipient keep their order. Those to different ones may be on their way at once, and overtake each other. */
function byRecipient(ids: readonly string[]): Map<string | undefined, string[]> {
  const grouped = new Map<string | undefined, string[]>();
  for (const id of ids) grouped.set(recipients.get(id), [...(grouped.get(recipients.get(id)) ?? []), id]);
  return grouped;
}
const arrivedAt = ({ script }: PeerServer) => byRecipient(script.arrived.map((message) => message.message_id));

/** Another server, and a device of this relay that sends to it. Tests that run beside each other have hooks of their own. */
async function begin({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const peer = await startPeerServer(fixture);
  onTestFinished(() => peer.stop());
  const device = await newDevice(relay);
  const isEmpty = async () =>
    (await tableOf(db, "outbox").where({ domain: peer.domain })).length === 0 &&
    (await tableOf(db, "outbox_destinations").where({ domain: peer.domain, messages: 0 })).length === 1;
  return {
    peer,
    isEmpty,
    async send(count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) {
        const to = `${prefix}${i % 3}@${peer.domain}`;
        const { message_id: id } = demand(await device.send(to)).body;
        recipients.set(id, to);
        ids.push(id);
      }
      return ids;
    },
    async delivered(ids: readonly string[]): Promise<void> {
      await eventually(isEmpty);
      expect(arrivedAt(peer)).toEqual(byRecipient(ids));
    },
  };
}

type Disturbance = (request: IncomingMessage, response: ServerResponse) => void;

const head = { "content-type": "application/json" };
const disturbances: [string, Disturbance][] = [
  ["answers 500", (_, response) => void response.writeHead(500, head).end('{"error":"INTERNAL","code":5000}')],
  ["answers 200 with garbage", (_, response) => void response.writeHead(200, head).end("{]")],
  ["answers 200 with nothing", (_, response) => void response.writeHead(200, head).end()],
  ["answers 200 with another relay's receipt", (_, response) => void response.writeHead(200, head).end(otherReceipt)],
  ["answers 204", (_, response) => void response.writeHead(204).end()],
  ["redirects", (_, response) => void response.writeHead(307, { location: "https://localhost:1/" }).end()],
  ["answers 418 in HTML", (_, response) => void response.writeHead(418, { "content-type": "text/html" }).end("<p>")],
  ["answers 408", (_, response) => void response.writeHead(408, head).end('{"error":"REQUEST_TIMEOUT"}')],
  ["answers 429", (_, response) => void response.writeHead(429, { ...head, "retry-after": "1" }).end("{}")],
  ["answers 503 until a date", (_, response) => void response.writeHead(503, { "retry-after": longAgo }).end()],
  ["answers 503 for a century", (_, response) => void response.writeHead(503, { "retry-after": "3153600000" }).end()],
  ["answers 503 for half a second", (_, response) => void response.writeHead(503, { "retry-after": "0.5" }).end()],
  ["breaks off before its answer", (request) => void request.socket.destroy()],
  ["breaks off within its answer", breakOff],
  ["does not answer", () => undefined],
  ["answers without an end", (_, response) => void response.writeHead(200, head).write("[")],
  ["drips its answer", drip],
  ["answers with two mebibytes", (_, response) => void response.writeHead(200, head).end(Buffer.alloc(2 * mebibyte))],
  ["speaks no HTTP", (request) => void request.socket.end("hello\r\n\r\n")],
];
const otherReceipt = JSON.stringify({ transaction_id: prefix, accepted_messages: [], rejected_messages: [] });
const longAgo = "Sat, 01 Jan 2000 00:00:00 GMT";

function breakOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { ...head, "content-length": "1000" });
  response.write('{"transaction_id":');
  setTimeout(() => request.socket.destroy(), 20);
}

/** Never silent for long, and far below the least rate. */
function drip(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, head);
  const dripping = setInterval(() => response.write(" "), 100);
  response.once("close", () => clearInterval(dripping));
}

// Each waits for time-outs and pauses of its own, so that they may do so beside each other.
describe.concurrent("deliveries", () => {
  it.for(disturbances)("a peer that %s gets everything once it behaves", async ([, disturb], context) => {
    const { peer, send, delivered } = await begin(context);
    let disturbed = 0;
    peer.disturb = (request, response) => {
      if (disturbed >= 2) return false;
      disturbed += 1;
      disturb(request, response);
      return true;
    };
    const ids = await send(4);
    await eventually(() => disturbed === 2);
    await delivered([...ids, ...(await send(2))]);
    expect(peer.script.repeated).toBe(0);
  });

  it("a peer that takes messages and breaks off gets none of them twice", async (context) => {
    const { peer, send, delivered } = await begin(context);
    let broken = 0;
    peer.script.behave = (_, take) => {
      const answer = take();
      if (broken++ < 3) throw new Error("the line is cut");
      return answer;
    };
    await delivered(await send(5));
    const [first, ...others] = peer.script.attempts;
    expect(others[0]?.id).toBe(first?.id);
    expect(peer.script.repeated).toBe(0);
  });

  it("a peer that forgets its tokens is asked for another one", async (context) => {
    const { peer, send, delivered } = await begin(context);
    await delivered(await send(1));
    const before = peer.tokens;
    let forgotten = 1;
    peer.disturb = (_, response) => {
      if (forgotten-- <= 0) return false;
      response.writeHead(401, head).end('{"error":"INVALID_TOKEN","code":4008,"message":""}');
      return true;
    };
    const [first] = peer.script.arrived;
    await delivered([first?.message_id ?? "", ...(await send(1))]);
    expect(peer.tokens).toBeGreaterThan(before);
  });

  it("a message that makes the peer refuse the whole is found and waits until the peer takes it", async (context) => {
    const { peer, send, delivered } = await begin(context);
    peer.script.behave = ({ messages }, take) =>
      messages.some((message) => message.message_id === poison)
        ? { status: 400, headers: {}, body: { error: "INVALID_REQUEST", code: 4000, message: "" } }
        : take();
    let poison = "";
    peer.disturb = (request) => {
      request.socket.destroy();
      return true;
    };
    const ids = await send(12);
    poison = ids[5] ?? "";
    peer.disturb = () => false;
    const waits = new Set(ids.filter((id, i) => i >= 5 && recipients.get(id) === recipients.get(poison)));
    await eventually(async () => (await tableOf(db, "outbox").where({ domain: peer.domain })).length === waits.size);
    expect(arrivedAt(peer)).toEqual(byRecipient(ids.filter((id) => !waits.has(id))));
    poison = "";
    await delivered(ids);
  });

  it("a peer that could not be found at first gets everything seconds later", async (context) => {
    const { peer, send, delivered } = await begin(context);
    peer.discoveryFailures = 2;
    await delivered(await send(3));
    const asked = peer.asked.filter((path) => path === routes.getDiscovery.path).length;
    expect(asked).toBeGreaterThan(2);
  });

  it("a peer that moves is found where its document then says", async (context) => {
    const { peer, send, delivered, isEmpty } = await begin(context);
    await delivered(await send(1));
    const ids = peer.script.arrived.map((message) => message.message_id);
    const moved = await startPeerServer(fixture);
    try {
      peer.federationUrl = `https://${moved.domain}/new`;
      peer.disturb = (_, response) => response.writeHead(404).end("{}") !== undefined;
      moved.script.arrived.push(...peer.script.arrived);
      const sent = await send(2);
      await eventually(isEmpty);
      expect(arrivedAt(moved)).toEqual(byRecipient([...ids, ...sent]));
    } finally {
      await moved.stop();
    }
  });

  it("a large message over a slow link is not cut while its bytes move", async (context) => {
    const { peer } = await begin(context);
    const link = await fixture.relay({
      // Together the longest silence of a short request.
      federationRequestTimeoutSeconds: 1,
      federationConnectTimeoutSeconds: 1,
      federationLeastBytesPerSecond: 64 * 1024,
      seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
    });
    const sender = await newDevice(link);
    let begun = 0;
    peer.disturb = (request, response) => {
      begun++;
      void readSlowly(request).then(async (bytes) => {
        const attached = request.headers["content-type"] !== "application/json";
        const id = (request.url ?? "").split("/").at(-1) ?? "";
        const { status, body } = await peer.script.deliver(peer.domain as never, id, { bytes, attached });
        response.writeHead(status, head).end(JSON.stringify(body));
      });
      return true;
    };
    demand(await sender.send(`${prefix}1@${peer.domain}`, { ciphertext: Buffer.alloc(8 * mebibyte, 7) }));
    await eventually(async () => peer.script.arrived.length === 1, 60);
    expect(begun).toBe(1);
  });
});

/** Reads for four seconds, while the sender's buffers are full. */
async function readSlowly(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let rest = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    rest += chunk.length;
    if (rest < 256 * 1024) continue;
    rest = 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Buffer.concat(chunks);
}
