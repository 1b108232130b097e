import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { groupsRules } from "../../src/conformance/groups/rules.js";
import { checkGroups } from "../../src/conformance/groups/suite.js";
import { roomy } from "../groups/people.js";
import { build } from "../support/build.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { shareOf } from "../support/shares.js";
import { brokenRules } from "./harness.js";

const commandOf = (name: string) => [process.execPath, fileURLToPath(new URL(name, import.meta.url))];
let relay: TestRelay;
beforeAll(async () => {
  await build("client");
  await build("groups");
  const seeds = { ...roomy.seeds, SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1" };
  relay = await startRelay({ ...roomy, seeds });
});
afterAll(() => relay?.stop());

const check = (command: readonly string[], only = "groups.") =>
  checkGroups(command, { relay: { url: relay.url, domain: relay.config.domain }, only });

test.concurrent("a program with @mls-relay/groups breaks no rule", async () => {
  const report = await check(commandOf("groups-program.mjs"));
  expect(brokenRules(report)).toEqual([]);
  expect(report.findings.map(({ outcome }) => outcome)).toEqual(groupsRules.map(() => "holds"));
});

// Each mistake, the rule that it breaks, and why.
const mistakes: [string, string, string][] = [
  ["keeps its key packages", "groups.key-packages", "no package of last resort"],
  ["welcomes early", "groups.welcomes", "before its commit had won"],
  ["writes another version", "groups.texts", "neither SvcMessage nor SystemOperation"],
  ["tells a text twice", "groups.receives", "what it has received"],
  ["gives up a change that has lost", "groups.slots", "the program is gone"],
  ["takes no second slot", "groups.slots", "it has taken no slot for a commit"],
  ["takes new ids", "groups.lost-answers", "with other ids or bytes"],
  ["sends bare messages", "groups.envelopes", "a message is no envelope"],
  ["pads to other sizes", "groups.envelopes", "the length of a message"],
  ["signs all copies alike", "groups.copies", "a signature of their own"],
  ["tells the second", "groups.copies", "the seconds of a time"],
  ["signs as the device", "groups.senders", "names the sender"],
];

test.concurrent.each(shareOf(mistakes, 4))("a program that %s is found out", async (mistake, rule, reason) => {
  const command = ["env", `MISTAKE=${mistake}`, ...commandOf("mistaken-groups.mjs")];
  const broken = brokenRules(await check(command, rule));
  expect(broken).toEqual([expect.stringContaining(reason)]);
});

test("every rule has a program that breaks it", () => {
  expect(groupsRules.map(({ id }) => id)).toEqual([...new Set(mistakes.map(([, rule]) => rule))]);
});
