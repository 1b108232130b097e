import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../histories/random.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../../support/peers.js";
import { roomy } from "../people.js";
import { drawStep, World } from "./world.js";

// `npm run lab -- groups-model` takes other seeds, and more of them.
const first = Number(process.env["GROUPS_MODEL_SEED"] ?? 1);
const count = Number(process.env["GROUPS_MODEL_SEEDS"] ?? 1);
const steps = Number(process.env["GROUPS_MODEL_STEPS"] ?? 50);

let fixture: PeerFixture;
let relays: readonly PeerRelay[];
beforeAll(async () => {
  fixture = await createPeerFixture();
  relays = [await fixture.relay(roomy), await fixture.relay(roomy)];
});
afterAll(() => fixture?.stop());

const seeds = Array.from({ length: count }, (_, at) => first + at);

test.each(
  seeds,
)("members who do anything at once agree at the end, and no text is lost, doubled or late (seed %i)", async (seed) => {
  const random = createRandom(seed);
  const world = await World.create(relays);
  try {
    for (let left = steps; left > 0; left--) await world.take(drawStep(random), random);
    const complaints = await world.conclude();
    if (complaints.length > 0) console.log([...world.log, ...complaints].join("\n"));
    expect(complaints).toEqual([]);
  } finally {
    world.healAll();
    await world.close();
  }
});
