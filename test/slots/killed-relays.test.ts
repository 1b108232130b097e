import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startKillablePair } from "../support/killable-pair.js";
import { assembleAt, committersOf, expectNoFork, newEpochs, playDisturbedRound } from "./group-program.js";

// `npm run lab -- commit-races` plays 200 epochs here.
const rounds = Math.ceil(Number(process.env["COMMIT_EPOCHS"] ?? 30) / 5);
vi.setConfig({ testTimeout: 120_000 + rounds * 60_000, hookTimeout: 240_000 });

let pair: Awaited<ReturnType<typeof startKillablePair>>;
beforeAll(async () => {
  pair = await startKillablePair({ databases: 1 });
});
afterAll(() => pair?.stop());

test("members of two relays end each epoch with one winner and in one state although relays and the database are killed", async () => {
  const [slots, other] = pair.places;
  const disturbances = [slots.restart, slots.killDatabase, other.restart];
  const seen = newEpochs();
  const members = await assembleAt(pair.places, seen);
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
