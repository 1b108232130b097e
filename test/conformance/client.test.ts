import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { clientRules } from "../../src/conformance/clients/rules.js";
import { checkClient } from "../../src/conformance/clients/suite.js";
import { build } from "../support/build.js";
import { shareOf } from "../support/shares.js";
import { brokenRules } from "./harness.js";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const commandOf = (name: string) => [process.execPath, fileOf(name)];

describe("the client library", () => {
  beforeAll(() => build("client"));

  test.concurrent("does nothing wrong whatever a relay does within the contract", async () => {
    const report = await checkClient(commandOf("client-program.mjs"));
    expect(brokenRules(report)).toEqual([]);
    expect(report.findings.map(({ outcome }) => outcome)).toEqual(clientRules.map(() => "holds"));
  });
});

test.concurrent("a client without a library that makes no mistake breaks no rule", async () => {
  const report = await checkClient(commandOf("mistaken-client.mjs"));
  expect(brokenRules(report)).toEqual([]);
});

// Each mistake, the rules that are checked, and the one that is broken.
const mistakes: [string, string, string][] = [
  ["signs another text", "client.receives", "client.receives"],
  ["adds members", "client.receives", "client.receives"],
  ["acknowledges what it never got", "client.receives", "client.receives"],
  ["handles repetitions", "client.duplicate", "client.duplicate"],
  ["handles out of order", "client.order", "client.order"],
  ["expects confirmations in order", "client.reordered", "client.reordered-confirmations"],
  ["forgets failed acknowledgements", "client.failed", "client.failed-acknowledgements"],
  ["forgets a failed batch", "client.failed", "client.failed-acknowledgements"],
  ["repeats an acknowledgement at once", "client.failed", "client.failed-acknowledgements"],
  ["handles again what it could not acknowledge", "client.failed", "client.failed-acknowledgements"],
  ["loses patience", "client.late-answer", "client.late-answer"],
  ["takes a new id", "client.lost-answer", "client.lost-answer"],
  ["repeats what was refused", "client.error.ADDRESS_NOT_FOUND", "client.error.ADDRESS_NOT_FOUND"],
  ["ignores Retry-After", "client.error.OVERLOADED", "client.error.OVERLOADED"],
  ["keeps a refused token", "client.error.INVALID_TOKEN", "client.error.INVALID_TOKEN"],
  ["stops at unknown errors", "client.unknown-error", "client.unknown-error"],
  ["refuses additions", "client.added-members", "client.added-members"],
  ["closes at unknown frames", "client.unknown-frame", "client.unknown-frame"],
  ["comes back too early", "client.reconnects", "client.reconnects"],
  ["hammers", "client.backoff", "client.backoff"],
  ["fights for the stream", "client.replaced", "client.replaced"],
];

// They wait more than they work.
test.concurrent.each(shareOf(mistakes, 3))("a client that %s is found out", async (mistake, only, rule) => {
  const command = ["env", `MISTAKE=${mistake}`, ...commandOf("mistaken-client.mjs")];
  const { findings } = await checkClient(command, { only });
  expect(findings.filter(({ outcome }) => outcome === "broken").map((finding) => finding.rule.id)).toEqual([rule]);
});

test("every rule but those about single errors has a client that breaks it", () => {
  const single = clientRules.map(({ id }) => id).filter((id) => !id.startsWith("client.error."));
  const broken = mistakes.map(([, , rule]) => rule);
  expect(single.filter((id) => !broken.includes(id))).toEqual([]);
});
