import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { EmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { ask, createFolder, serverPid, startEmbedded } from "../support/embedded.js";
import { type KillableRelay, startKillableRelay } from "../support/killable-relay.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { assembleAt, committersOf, expectNoFork, newEpochs, playDisturbedRound } from "./group-program.js";

// `npm run lab -- commit-races` plays 200 epochs here.
const rounds = Math.ceil(Number(process.env["COMMIT_EPOCHS"] ?? 30) / 5);
vi.setConfig({ testTimeout: 120_000 + rounds * 60_000, hookTimeout: 240_000 });

const env = {
  SLOT_READS_PER_IP_HOUR: "1000000",
  FEDERATION_SLOTS_PER_MINUTE: "1000000",
  FEDERATION_SLOT_READS_PER_MINUTE: "1000000",
};
const constants = {
  newTierSlotsPerHour: 100_000,
  newTierPeerSlotsPerHour: 100_000,
  newTierSlotBytesPerHour: 2 ** 30,
  newTierPeerSlotBytesPerHour: 2 ** 30,
  peerSlotReadsPerIpMinute: 1_000_000,
};

let fixture: PeerFixture;
let place: Awaited<ReturnType<typeof createFolder>>;
/** The database of the relay with the slots. */
let postgres: EmbeddedPostgres;
let slotRelay: KillableRelay;
let other: KillableRelay;
/** Where clients find the two, also after they were started again. */
let doors: TcpProxy[];

beforeAll(async () => {
  place = await createFolder(0o711);
  postgres = await startEmbedded(place.folder);
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  await migrate(db);
  await db.close();
  fixture = await createPeerFixture();
  slotRelay = await startKillableRelay(fixture, { databaseUrl: postgres.url, env, constants });
  other = await startKillableRelay(fixture, { env, constants });
  doors = await Promise.all([slotRelay, other].map(({ relay }) => startTcpProxy(Number(new URL(relay.url).port))));
});
afterAll(async () => {
  for (const door of doors ?? []) await door.stop();
  await Promise.all([slotRelay?.stop(), other?.stop()]);
  await fixture?.stop();
  await postgres?.stop();
  await place?.remove();
});

async function restart(killable: KillableRelay, door: TcpProxy | undefined): Promise<void> {
  await killable.kill();
  await killable.start();
  if (door !== undefined) door.target.port = Number(new URL(killable.relay.url).port);
}

async function killPostgres(): Promise<void> {
  const pid = (await serverPid(place.folder)) ?? 0;
  process.kill(pid, "SIGKILL");
  // The one that holds a share in it starts it again.
  await until(async () => {
    const [answer] = await ask<{ up: number }>(postgres.url, "select 1 as up").catch(() => []);
    return answer?.up === 1 && (await serverPid(place.folder)) !== pid;
  }, "PostgreSQL is up again");
}

test("members of two relays end each epoch with one winner and in one state although relays and the database are killed", async () => {
  const disturbances = [() => restart(slotRelay, doors[0]), killPostgres, () => restart(other, doors[1])];
  const places = [slotRelay, other].map(
    ({ relay }, index): TestRelay => ({ ...relay, url: `http://127.0.0.1:${doors[index]?.port}` }),
  );
  const seen = newEpochs();
  const members = await assembleAt(places, seen);
  const after = members[0]?.member.epoch() ?? 0n;
  for (let round = 0; round < rounds; round++) {
    await playDisturbedRound(members, committersOf(members, round), async () => {
      await sleep(Math.random() * 40);
      await disturbances[round % disturbances.length]?.();
    });
    expect(new Set(members.map(({ member }) => member.authenticator())).size).toBe(1);
  }
  expectNoFork(seen, { after, rounds });
});
