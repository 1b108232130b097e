import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createRandom } from "../../histories/random.js";
import { startKillablePair } from "../../support/killable-pair.js";
import { World } from "./world.js";

// `npm run lab -- groups-model --epochs 250` plays more of them.
const epochs = Number(process.env["GROUPS_MODEL_EPOCHS"] ?? 24);
const seed = Number(process.env["GROUPS_MODEL_SEED"] ?? 1);
const committers = 4;
vi.setConfig({ testTimeout: 120_000 + epochs * 5_000, hookTimeout: 240_000 });

let pair: Awaited<ReturnType<typeof startKillablePair>>;
beforeAll(async () => {
  pair = await startKillablePair({ databases: 2 });
});
afterAll(() => pair?.stop());

test("four members of two relays who commit and write all the time have one history although members, relays and databases are killed", async () => {
  const random = createRandom(seed);
  const world = await World.create(pair.places, committers);
  try {
    const disturbances = [
      ...pair.places.flatMap(({ restart, killDatabase }) => [restart, killDatabase ?? restart]),
      ...world.actors.map((actor) => async () => {
        await world.kill(actor, random.between(0, 11));
        await world.revive(actor);
      }),
    ];
    const last = await world.race(epochs, () => random.oneOf(disturbances)());
    const complaints = [...(await world.conclude()), ...world.forks()];
    console.log(`${last} epochs, ${world.texts.length} texts, seed ${seed}`);
    expect(complaints).toEqual([]);
  } finally {
    await world.close();
  }
});
