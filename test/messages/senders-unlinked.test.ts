import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import {
  createOriginFixture,
  deliver,
  messagesFor,
  type OriginFixture,
  tokenFor,
} from "../federation/origin-fixture.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// Every row of PostgreSQL names the transaction that wrote it (`xmin`). A row that names a sender, written by the
// transaction that stored a message, would reveal the sender of that message, and the database's log would keep the pair.

let folder: string;
let fixture: OriginFixture;
let relay: TestRelay;
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  fixture = await createOriginFixture();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-unlinked-"));
  const { cert, key } = await fixture.authority.issue({ hosts: ["relay.test"] });
  const [federationCertFile, federationKeyFile] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  await writeFile(federationCertFile, cert);
  await writeFile(federationKeyFile, key, { mode: 0o600 });
  const own = { federationCertFile, federationKeyFile };
  relay = await startRelay({ ...fixture.config, ...own, federationAllowPrivate: true });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
  await fixture.stop();
  await rm(folder, { recursive: true });
});

const faraway = () => `${"0123456789abcdef".repeat(2)}@localhost:9`;
const batch = (device: TestDevice, messages: readonly unknown[]) =>
  call(relay, "sendMessageBatch", { token: device.token, body: { messages } });

/** All rows of the database that were written by these transactions, or by those that wrote a message. */
async function rowsOf(transactions: ReadonlySet<string>): Promise<{ table: string; row: string }[]> {
  const tables = await db.rows<{ name: string }>(
    `select c.relname as name from pg_class as c
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
  );
  const found: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    const all = await db.rows<{ xmin: string; row: string }>(`select xmin::text, t::text as row from ${name} as t`);
    for (const { xmin, row } of all) if (transactions.has(xmin)) found.push({ table: name, row });
  }
  return found;
}

async function storingTransactions(): Promise<Set<string>> {
  const found = await db.rows<{ xmin: string }>("select xmin::text from messages union select xmin::text from outbox");
  return new Set(found.map(({ xmin }) => xmin));
}

describe("no row that names a sender was written by a transaction that stored a message", () => {
  let senders: TestDevice[];
  let recipients: TestDevice[];

  beforeAll(async () => {
    [senders, recipients] = [[], []];
    for (let i = 0; i < 4; i++) senders.push(await newDevice(relay));
    for (let i = 0; i < 3; i++) recipients.push(await newDevice(relay));
    const [to, second] = recipients as [TestDevice, TestDevice];
    for (const sender of senders) {
      demand(await sender.send(to.address));
      const repeated = message(relay, second.address);
      demand(await batch(sender, [repeated, message(relay, to.address), message(relay, faraway()), repeated]));
      demand(await batch(sender, [repeated, message(relay, to.address)]));
      expect((await sender.send(`${"0".repeat(32)}@relay.test`)).status).toBe(404);
      demand(await call(relay, "sendMessage", { token: sender.token, body: message(relay, faraway()) }));
    }
    await Promise.all(senders.flatMap((sender) => recipients.map((one) => sender.send(one.address))));
    const origin = await fixture.origin("peer.example");
    const token = await tokenFor(relay, origin);
    const delivered = { token, origin: origin.domain, messages: messagesFor(relay, to, 3) };
    expect((await deliver(relay, delivered)).body.status).toBe("accepted");
  });

  it("in any table", async () => {
    const transactions = await storingTransactions();
    const written = await rowsOf(transactions);
    const counts = (name: string) => written.filter(({ table }) => table === name).length;
    expect(counts("messages")).toBeGreaterThan(20);
    expect(counts("outbox")).toBeGreaterThan(4);
    // The recipients' rows are found, so the senders' would be.
    expect(written.some(({ row }) => recipients.some(({ deviceId }) => row.includes(deviceId)))).toBe(true);
    const telling = senders.flatMap(({ deviceId, publicKey, address }) => [
      deviceId,
      publicKey,
      address.split("@")[0] as string,
    ]);
    expect(written.filter(({ row }) => telling.some((text) => row.includes(text)))).toEqual([]);
  });

  it("although the messages of the senders were counted", async () => {
    const counted = await db.rows<{ device_id: string; count: number }>("select device_id, count from sending_windows");
    for (const { deviceId } of senders) {
      expect(counted).toContainEqual({ device_id: deviceId, count: 9 });
      const sent = await db.rows("select sent from recent_federation_sends where device_id = :deviceId", { deviceId });
      expect(sent).toEqual([{ sent: 2 }]);
    }
  });
});
