import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paddedSize } from "../../src/client/crypto/padding.js";
import { createOriginFixture, type OriginFixture } from "../federation/origin-fixture.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { describe, dump, search } from "./analysis.js";
import { bare, type Day, type Form, playDay, sealed } from "./day.js";

// Two groups play a day whose messages all stay in the database. The thief has the whole database, the public keys of all
// leaves, and the ids of all groups, devices and key packages.

let folder: string;
let fixture: OriginFixture;
let certificate: { federationCertFile: string; federationKeyFile: string };

beforeAll(async () => {
  fixture = await createOriginFixture();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-thief-"));
  const { cert, key } = await fixture.authority.issue({ hosts: ["relay.test"] });
  certificate = {
    federationCertFile: path.join(folder, "cert.pem"),
    federationKeyFile: path.join(folder, "key.pem"),
  };
  await writeFile(certificate.federationCertFile, cert);
  await writeFile(certificate.federationKeyFile, key, { mode: 0o600 });
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true });
});

/** What is stored at the end of a day. */
async function theft(form: Form): Promise<{ day: Day; rows: Awaited<ReturnType<typeof dump>> }> {
  const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };
  const relay: TestRelay = await startRelay({ ...fixture.config, ...certificate, federationAllowPrivate: true, seeds });
  try {
    const day = await playDay(relay, form);
    return { day, rows: await dump(relay.databaseUrl) };
  } finally {
    await relay.stop();
  }
}

const asPair = (id: string, ...facts: unknown[]) => `${id} ${facts.join(" ")}`;

test("of bare messages that leaves have signed, a thief learns sender, group, epoch and copies", async () => {
  const { day, rows } = await theft(bare);
  const { senders, epochs, equal, sharedBytes } = search(rows, day);
  const truths = [...day.truths];
  const named = new Set(senders.map(({ id, device }) => asPair(id, device)));
  expect(named).toEqual(new Set(truths.map(([id, { sender }]) => asPair(id, sender))));
  const placed = new Set(epochs.map(({ id, group, epoch }) => asPair(id, group, epoch)));
  const inGroups = truths.filter(([, { kind }]) => kind !== "welcome");
  expect(placed).toEqual(new Set(inGroups.map(([id, { group, epoch }]) => asPair(id, group, epoch))));
  const columns = ["ciphertext", "message_id", "sender_signature"];
  expect(equal).toEqual([...columns.map((name) => `messages.${name}`), ...columns.map((name) => `outbox.${name}`)]);
  for (const what of ["messages.ciphertext", "group", "package"])
    expect(sharedBytes).toContain(`messages.ciphertext in ${what}`);
});

test("of sealed messages, a thief learns recipients, times, lengths and transactions, and nothing that links them", async () => {
  const { day, rows } = await theft(sealed);
  // The keyed hash of a message for another relay goes out with it. It is another one for each message.
  const ownHash = "outbox.dedup_tag in message_keys.key";
  expect(search(rows, day)).toEqual({ senders: [], epochs: [], equal: [], sharedBytes: [ownHash] });

  const { messages, recipients, secondsOfSender, receivedAt, lengths, stored, firstBytes } = describe(rows);
  expect(messages).toBe(day.truths.size);
  expect(rows.filter(({ table }) => table === "slots")).toHaveLength(day.slots);
  // Five devices, and one address elsewhere for each of the two groups.
  expect(recipients).toBe(7);
  expect(secondsOfSender, "senders round their times to the minute").toEqual([0]);
  expect(receivedAt, "but the relay notes the second").toBeGreaterThan(day.fanOuts);
  expect(lengths).toEqual(lengths.map((length) => paddedSize(length, Number.MAX_SAFE_INTEGER)));
  expect(Math.max(...stored), "the copies of a message are stored by one transaction").toBeGreaterThan(2);
  expect(firstBytes, "Welcomes can be told from other messages").toEqual({
    1: messages - day.welcomes,
    2: day.welcomes,
  });
  console.info("what the thief still sees", { messages, recipients, receivedAt, lengths, stored });
});
