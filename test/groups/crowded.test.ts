import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { epochKeysOf, sealEnvelope } from "../../src/client/index.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { memoryStore } from "../../src/groups/index.js";
import { newClient } from "../client/harness.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openPerson, roomy, textsOf } from "./people.js";

// More waits for keys than a device keeps.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ ...roomy, seeds: { ...roomy.seeds, SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "10000" } });
});
afterAll(() => relay.stop());

const [ofStrangers, texts, atOnce] = [600, 1_500, 100];

test("a member who was away reads all texts behind a commit that nobody told it of, and what strangers sent holds nothing up", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  const ada = await openPerson(relay, "Ada", { store: stores.ada });
  const before = await openPerson(relay, "Ben", { store: stores.ben });
  const group = await ada.create({ name: "Before" });
  await group.add([before.address]);
  await groupOf(before, "Before");
  const { deviceId } = before.device;
  await before.close();

  await group.rename("After");
  const isSent = async () => (await stores.ada.list({ prefix: "out/" })).length === 0;
  await until(isSent, "the news of the commit is sent");
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("delete from messages where device_id = :deviceId", { deviceId });
  await db.close();
  const stranger = await newClient(relay);
  const keys = await epochKeysOf(async (_label, _context, length) => new Uint8Array(randomBytes(length)));
  for (let at = 0; at < ofStrangers; at += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, () =>
        stranger.send({ to: before.address, ciphertext: sealEnvelope(keys, new Uint8Array(randomBytes(100))) }),
      ),
    );
  for (let at = 0; at < texts; at += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, more) => group.send({ text: String(at + more) })));
  await until(isSent, "all texts are sent");

  const ben = await openPerson(relay, "Ben", { store: stores.ben });
  const bens = await groupOf(ben, "After");
  await until(async () => (await textsOf(bens)).length >= texts, "Ben has all texts");
  expect(await textsOf(bens)).toEqual(Array.from({ length: texts }, (_, at) => String(at)));
});
