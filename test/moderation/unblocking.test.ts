import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runHere } from "../support/command.js";
import type { TestDevice } from "../support/device.js";
import { type SpamFixture, sendAndReport, startSpamFixture } from "./fixture.js";

const masterKey = "5f".repeat(32);

let relay: SpamFixture;
let folder: string;
beforeAll(async () => {
  relay = await startSpamFixture({ masterKey });
  folder = await mkdtemp(join(tmpdir(), "mls-relay-cli-"));
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

it("mls-relay devices unblock lifts a block and restarts the count of reporters", async () => {
  const [sender, reader, ...reporters] = (await relay.devices(8)) as [TestDevice, TestDevice, ...TestDevice[]];
  for (const reporter of reporters.slice(0, 5)) await sendAndReport(relay, sender, reporter);
  expect((await sender.send(reader.address)).status).toBe(429);

  const env = { DATABASE_URL: relay.databaseUrl, DATA_DIR: folder, MASTER_KEY: masterKey };
  expect(await runHere(["devices", "unblock", sender.publicKey], env)).toMatchObject({
    code: 0,
    stdout: `${sender.deviceId} is neither blocked nor banned.\n`,
  });
  expect((await sender.send(reader.address)).status).toBe(202);
  expect((await relay.auditOf(sender.deviceId)).map(({ action }) => action).slice(-2)).toEqual([
    "device_blocked",
    "device_unblocked",
  ]);

  await sendAndReport(relay, sender, reporters[0] as TestDevice);
  expect(await relay.stateOf(sender)).toMatchObject({ spam_reports: 6, blocked_at: null });
  expect((await relay.auditOf(sender.deviceId)).at(-1)).toMatchObject({ details: { reporters: 1, flagged: false } });
  for (const reporter of reporters.slice(1, 5)) await sendAndReport(relay, sender, reporter);
  expect((await relay.stateOf(sender)).blocked_at).not.toBeNull();
});
