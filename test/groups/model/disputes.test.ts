import { afterAll, beforeAll, expect, test } from "vitest";
import { readRun } from "../../../scripts/model/itf.js";
import { drawRuns } from "../../../scripts/model/replays.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { openPerson, roomy } from "../people.js";
import { DisputeWorld, type ModelState } from "./dispute-world.js";

// Runs of spec/model/disputes.qnt with the library, other ones each day: DISPUTES=7 repeats those of the seed 7, DISPUTES_RUNS=50 takes more.
const dayMillis = 86_400_000;
const seed = Number(process.env["DISPUTES"] ?? Math.floor(Date.now() / dayMillis));
const runs = Number(process.env["DISPUTES_RUNS"] ?? 2);

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const isDecided = ({ kind, by }: ModelState["slots"][number]) => kind === "next" && by.length > 2;

test("members settle a commit that some cannot use as the model does, step by step", async () => {
  console.log(`DISPUTES=${seed}`);
  const carrier = await openPerson(relay, "Carrier");
  for (const [number, states] of (await drawRuns("disputes", { runs, seed })).entries()) {
    const steps = readRun<ModelState>(states);
    const { before: first } = steps[0] as (typeof steps)[number];
    const world = await DisputeWorld.create(relay, carrier, `Run ${number}`);
    try {
      await world.begin(first.commit);
      for (const [at, step] of steps.entries())
        await world.take(step).catch((cause: unknown) => {
          throw new Error(`run ${number} differs in step ${at + 1} of ${JSON.stringify(steps)}`, { cause });
        });
      const { after: last } = steps.at(-1) as (typeof steps)[number];
      const places = await world.conclude(last);
      if (last.slots.some(isDecided)) expect(new Set(places)).toEqual(new Set(["next"]));
    } finally {
      await world.close();
    }
  }
});

test("a member who could use the commit only with help helps the next one", async () => {
  const commit = { openers: ["ada"], tag: true, hostile: ["mal"] };
  const old: ModelState["members"][string] = { place: "old", heard: [] };
  let state: ModelState = {
    commit,
    slots: [],
    sent: { statements: [], repairs: [] },
    members: { ada: old, ben: old, cleo: old, eve: old },
  };
  const world = await DisputeWorld.create(relay, await openPerson(relay, "Carrier"), "Helped");
  const turn = async (name: string, member: ModelState["members"][string], sent: Partial<ModelState["sent"]> = {}) => {
    const before = state;
    state = { ...before, sent: { ...before.sent, ...sent }, members: { ...before.members, [name]: member } };
    await world.take({ action: "turn", chosen: { member: name, liar: "mal", luck: 5 }, before, after: state });
  };
  try {
    await world.begin(commit);
    await turn("cleo", { place: "old", heard: ["cleo"] }, { statements: ["cleo"] });
    await turn("ada", { place: "new", heard: ["cleo"] }, { repairs: [["ada", "cleo"]] });
    await turn("cleo", { place: "new", heard: ["cleo"] });
    await turn("ben", { place: "old", heard: ["ben", "cleo"] }, { statements: ["ben", "cleo"] });
    // Ada, the only one who can open the commit, is off.
    const repairs: ModelState["sent"]["repairs"] = [
      ["ada", "cleo"],
      ["cleo", "ben"],
    ];
    await turn("cleo", { place: "new", heard: ["ben", "cleo"] }, { repairs });
    await turn("ben", { place: "new", heard: ["ben", "cleo"] });
    expect(new Set(await world.conclude(state))).toEqual(new Set(["new"]));
  } finally {
    await world.close();
  }
});
