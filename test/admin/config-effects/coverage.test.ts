import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rulesByName } from "../../../src/settings/table.js";

// What these keys do belongs to peers and to spam reports, and is shown by the tests of those rooms.
const shownElsewhere = [
  "progressive_trust.spam_report_block_threshold",
  "progressive_trust.spam_score_threshold",
  "federation.allowlist_mode",
  "federation.auto_block_threshold",
  "federation.publish_blocklist",
  "federation.certificate_validation",
];

test("every key of the configuration has a test of what it does", () => {
  const here = new URL(".", import.meta.url);
  const files = readdirSync(here).filter((file) => file.endsWith(".test.ts") && file !== "coverage.test.ts");
  const titles = files.flatMap((file) => {
    const text = readFileSync(new URL(file, here), "utf8");
    return [...text.matchAll(/^\s*(?:test|it)\("(\S+)/gm)].map(([, name]) => name);
  });
  expect([...titles, ...shownElsewhere].sort()).toEqual([...rulesByName.keys()].sort());
});
