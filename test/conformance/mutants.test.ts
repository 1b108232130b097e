import { afterAll, beforeAll, expect, test } from "vitest";
import { type DeviatingProxy, startDeviatingProxy } from "../../src/conformance/harness/deviating-proxy.js";
import { rules } from "../../src/conformance/rules.js";
import { checkConformance } from "../../src/conformance/suite.js";
import { hourSeconds } from "../../src/protocol/units.js";
import { type Harness, startHarness } from "./harness.js";
import { deviceMutants } from "./mutants/devices.js";
import { generalMutant, neighboursOf } from "./mutants/general.js";
import type { Mutant } from "./mutants/kinds.js";
import { operatorMutants } from "./mutants/operators.js";

// For each rule a relay that breaks this rule alone, made of a sound relay and a proxy. The rule must find it, and no other rule of
// the same subject (of the same operation, for the rules about all operations) may. `npm run lab -- mutants` checks all of them; the
// suite a tenth, another one each day: MUTANTS=3 repeats the fourth tenth, MUTANTS=all takes all.

const parts = 10;
const dayMillis = 86_400_000;
const chosen = process.env["MUTANTS"] ?? String(Math.floor(Date.now() / dayMillis) % parts);
/** They are about what the server sends to others, which does not pass the proxy. */
const unproxied = ["delivery.", "peers."];
/** Their rules use what a network address may do a few times an hour. */
const limited = ["infopackages.", "provisioning.", "blobs.", "limits.", "time."];

const mutants: Readonly<Record<string, Mutant>> = { ...deviceMutants, ...operatorMutants };
const ids = rules.map(({ id }) => id);
const proxied = ids.filter((id) => !unproxied.some((subject) => id.startsWith(subject)));
const isChosen = (id: string, index: number) =>
  chosen === "all" || index % parts === Number(chosen) || (/^[a-z]/.test(chosen) && id.startsWith(chosen));

let harness: Harness;
let proxy: DeviatingProxy;
beforeAll(async () => {
  console.log(`MUTANTS=${chosen}`);
  harness = await startHarness({ backups: false });
  proxy = await startDeviatingProxy(harness.relay.url);
});
afterAll(async () => {
  await proxy?.stop();
  await harness?.stop();
});

test("every rule has a mutant, and every mutant a rule", () => {
  expect(proxied.filter((id) => mutantOf(id) === undefined)).toEqual([]);
  expect(Object.keys(mutants).filter((id) => !proxied.includes(id))).toEqual([]);
});

test.each(
  proxied.filter(isChosen),
)("a relay that breaks %s alone is found by that rule and by no other", async (id) => {
  // The limits of the network address would be used up by the runs before.
  if (limited.some((subject) => id.startsWith(subject))) await harness.target.passTime?.(hourSeconds + 1);
  proxy.deviation = mutantOf(id)?.() ?? {};
  const selected = new Set(selectionOf(id));
  const target = { ...harness.target, urls: [proxy.url] };
  const { findings } = await checkConformance(target, { only: (one) => selected.has(one) });
  proxy.deviation = {};
  const broken = findings.filter(({ outcome }) => outcome === "broken");
  expect(
    broken.map(({ rule }) => rule.id),
    broken.map(({ rule, reason }) => `${rule.id}: ${reason}`).join("\n"),
  ).toEqual([id]);
});

function mutantOf(id: string): Mutant | undefined {
  return mutants[id] ?? generalMutant(id);
}

function selectionOf(id: string): string[] {
  const subject = id.split(".")[0] ?? "";
  if (generalMutant(id) !== undefined) return neighboursOf(id, ids);
  if (subject === "general") return ids.filter((one) => /^general\.[a-z-]+$/.test(one));
  return ids.filter((one) => one.startsWith(`${subject}.`));
}
