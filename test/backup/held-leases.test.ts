import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createLogger, type Logger } from "../../src/platform/logger.js";
import { createOutboxFixture, eventually, remote, sendTo } from "../federation/outbox-fixture.js";
import { createScriptedPeer, holdAttempts } from "../federation/scripted-peer.js";
import { createMessagesFixture } from "../messages/fixture.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { testFolderPrefix } from "../support/database-names.js";
import { startRelay } from "../support/relay.js";

const masterKey = randomBytes(32);
/** As the outbox's fixture has it. */
const { domain } = loadConfig({});
const envFor = (url: string) => ({ DATABASE_URL: url, MASTER_KEY: masterKey.toString("hex"), DOMAIN: domain });
const relayOn = (databaseUrl: string, logger?: Logger) =>
  startRelay({ databaseUrl, domain, masterKey: masterKey.toString("hex") }, logger === undefined ? {} : { logger });

test("what nodes held when a backup was made keeps no node of the restored database from working", async () => {
  const folder = await mkdtemp(join(tmpdir(), `${testFolderPrefix}${process.pid}-leases-`));
  const file = join(folder, "held.backup");
  const database = await createTestDatabase();
  const before = await createOutboxFixture(await createMessagesFixture({}, { database, masterKey }));
  const leader = await relayOn(database.url);
  const restored = await createTestDatabase({ empty: true });
  try {
    const peer = createScriptedPeer();
    const going = holdAttempts(peer);
    const node = await before.node({ calls: peer });
    const from = await before.mailboxes.device({ custom_limit: 1000 });
    const { ids } = await sendTo(node, before.mailboxes, { from, recipients: [remote("peer.test")] });
    await eventually(() => going.length === 1);
    expect((await runCommand(["backup", file, "--quiet"], envFor(database.url))).stderr).toBe("");

    // Both nodes live on: one leads, the other delivers.
    expect((await runCommand(["restore", file, "--quiet"], envFor(restored.url))).stderr).toBe("");
    expect(await runCommand(["after-restore"], envFor(restored.url))).toMatchObject({ code: 0, stderr: "" });
    const held = await restored.db.rows<{ lease_node: string | null }>("select lease_node from outbox_destinations");
    expect(held).toEqual([{ lease_node: expect.stringMatching(/^[0-9a-f]{16}$/) }]);

    const lines: string[] = [];
    const logger = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
    const relay = await relayOn(restored.url, logger);
    await eventually(() => lines.join().includes("this node runs the jobs of all nodes"));
    await relay.stop();

    const after = await createOutboxFixture(await createMessagesFixture({}, { database: restored, masterKey }));
    const newPeer = createScriptedPeer();
    await after.node({ calls: newPeer });
    await eventually(() => newPeer.arrived.length === 1);
    expect(newPeer.arrived.map(({ message_id }) => message_id)).toEqual(ids);
    await after.stop();
    for (const go of going) go();
  } finally {
    await leader.stop();
    await before.stop();
    await rm(folder, { recursive: true });
  }
});
