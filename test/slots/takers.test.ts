import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { connectRaw, type RawConnection } from "../http/raw.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";
import { until } from "../support/until.js";

// One device that goes on taking slots after its limits are used up must neither cost others much, nor be seen in the database.

const atOnce = 3;
const longBody = 4_096;
let relay: TestRelay;
let db: Database;
let slotKey: string;

beforeAll(async () => {
  relay = await startRelay({
    newTierSlotsPerHour: 4,
    slotStorageBytes: 1_048_576,
    slotTakingsAtOnce: atOnce,
    longBodyBytes: longBody,
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  slotKey = (await call(relay, "getDiscovery")).body.slots?.key ?? "";
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

const newContent = (bytes = 200) => randomBytes(bytes).toString("base64");
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];

function take(by: TestDevice, { slot = newSlot(), content = newContent() } = {}) {
  const body = takingOf(slot, { content, slot_key: slotKey }, "relay.test");
  return call(relay, "takeSlot", { token: by.token, params: { slot }, body });
}

async function spentDevice(): Promise<TestDevice> {
  const device = await newDevice(relay);
  for (let i = 0; i < 4; i++) expect((await take(device)).body.won).toBe(true);
  return device;
}

/** Sends the head of a request with a long body, of which nothing follows before the relay asks for it. */
function sendHead(by: TestDevice, slot = newSlot()): RawConnection {
  const lines = [
    `PUT ${routes.takeSlot.path.replace(":slot", slot)} HTTP/1.1`,
    "Host: relay.test",
    `Authorization: Bearer ${by.token}`,
    "Content-Type: application/json",
    `Content-Length: ${longBody + 1}`,
    "Expect: 100-continue",
  ];
  const raw = connectRaw(Number(new URL(relay.url).port));
  raw.write(`${lines.join("\r\n")}\r\n\r\n`);
  return raw;
}

/** The status of the answer to a head, and its error; 100 if the relay wants the body. */
async function answerToHead(by: TestDevice, slot?: string): Promise<[number, string?]> {
  const raw = sendHead(by, slot);
  const { status, text } = await raw.answer();
  raw.socket.destroy();
  await raw.closed;
  return status === 100 ? [100] : [status, JSON.parse(text).error];
}

/** Fills the space for slots meanwhile. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  await db.run("update slot_balance set content_bytes = content_bytes + 1048576");
  await work().finally(() => db.run("update slot_balance set content_bytes = content_bytes - 1048576"));
}

test("what a limit or the space refuses is written nowhere", async () => {
  const [spent, other] = [await spentDevice(), await newDevice(relay)];
  await db.run(
    `create function refuse_write() returns trigger language plpgsql as $$ begin raise exception 'a write'; end $$;
     create trigger refuse_write before insert or update on slots for each statement execute function refuse_write();
     create trigger refuse_write before insert or update on rate_limits for each row execute function refuse_write()`,
  );
  try {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => take(spent)));
    expect(answers.map(errorOf)).toEqual(answers.map(() => [429, "RATE_LIMIT_EXCEEDED"]));
    await whileFull(async () => expect(errorOf(await take(other))).toEqual([507, "QUEUE_FULL"]));
    expect((await take(other)).status).toBe(500);
  } finally {
    await db.run("drop function refuse_write cascade");
  }
  expect((await take(other)).body.won).toBe(true);
});

test("a long body that would be refused is not read, unless it may repeat what took the slot", async () => {
  const [device, slot] = [await newDevice(relay), newSlot()];
  expect(await answerToHead(device)).toEqual([100]);
  await whileFull(async () => expect(await answerToHead(device)).toEqual([507, "QUEUE_FULL"]));
  expect((await take(device, { slot })).body.won).toBe(true);
  for (let i = 0; i < 3; i++) expect((await take(device)).body.won).toBe(true);
  expect(await answerToHead(device)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
  expect(await answerToHead(device, slot)).toEqual([100]);
  relay.clock.advance(3_600);
  await device.announce();
  expect(await answerToHead(device)).toEqual([100]);
});

test("a device takes so many slots at once, and holds up no other one", async () => {
  const [device, other] = [await newDevice(relay), await newDevice(relay)];
  const open = Array.from({ length: atOnce }, () => sendHead(device));
  for (const raw of open) expect((await raw.answer()).status).toBe(100);
  const refused = await take(device);
  expect(errorOf(refused)).toEqual([503, "OVERLOADED"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await take(other)).body.won).toBe(true);
  open[0]?.socket.destroy();
  await until(async () => (await take(device)).body.won === true, "an ended request makes room for the next");
  for (const { socket } of open) socket.destroy();
});

test("nothing but slots and their sum was written together with a slot", async () => {
  const devices = await Promise.all(Array.from({ length: 4 }, () => newDevice(relay)));
  await Promise.all(devices.map((device) => take(device)));
  const tables = await db.rows<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  const written: string[] = [];
  for (const { name } of tables) {
    const rows = await db.rows(`select 1 from ${name} where xmin::text in (select xmin::text from slots)`);
    if (rows.length > 0) written.push(name);
  }
  expect(written.sort()).toEqual(["slot_balance", "slots"]);
  const { limits } = (await call(relay, "getLimits", { token: devices[0]?.token ?? "" })).body;
  expect(limits.find(({ name }) => name === "slots_hour")?.remaining).toBe(3);
});
