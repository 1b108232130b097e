import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findBreakingChanges } from "../../scripts/check-compatibility.js";
import type { BreakingChange } from "../../scripts/compatibility/breaking-change.js";
import { unannounced } from "../../scripts/compatibility/changelog.js";

const project = new URL("../../", import.meta.url);
const breakingChange: BreakingChange = { subject: "sendMessage", what: "request /colour must be sent now" };

test("a breaking change that the changelog names is announced", () => {
  const changelog = [
    "# Changelog\n\n## Unreleased\n",
    "- Something else.",
    "- Breaking: `ack` takes ten ids, and",
    "  `sendMessage` needs a colour.\n",
    "## 1.0.0\n",
  ].join("\n");
  expect(unannounced([breakingChange, { subject: "ack", what: "fewer" }], changelog)).toEqual([]);
});

test.each([
  ["nothing", "# Changelog\n\n## Unreleased\n\n- Faster.\n"],
  ["the name without the word", "# Changelog\n\n## Unreleased\n\n- `sendMessage` needs a colour.\n"],
  ["another name", "# Changelog\n\n## Unreleased\n\n- Breaking: `sendMessageBatch` needs a colour.\n"],
  ["the name in an entry after a breaking one", "## Unreleased\n\n- Breaking: `ack`.\n- `sendMessage` is faster.\n"],
  [
    "it for an earlier release",
    "# Changelog\n\n## Unreleased\n\n## 1.0.0\n\n- Breaking: `sendMessage` needs a colour.\n",
  ],
  ["it where there is no section for what is unreleased", "## 1.0.0\n\n- Breaking: `sendMessage` needs a colour.\n"],
])("a breaking change is not announced where the changelog has %s", (_, changelog) => {
  expect(unannounced([breakingChange], changelog)).toEqual([breakingChange]);
});

test("the contract of today is compared with the one that was released", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-released-"));
  try {
    for (const name of ["openapi.json", "asyncapi.json"]) {
      for (const place of ["spec/released", "generated"]) {
        await mkdir(join(folder, place), { recursive: true });
        await copyFile(new URL(`generated/${name}`, project), join(folder, place, name));
      }
    }
    expect(await findBreakingChanges(pathToFileURL(`${folder}/`))).toEqual([]);
    const today = join(folder, "generated", "openapi.json");
    const document = JSON.parse(await readFile(today, "utf8"));
    delete document.paths["/v1/messages"].post;
    await writeFile(today, JSON.stringify(document));
    expect(await findBreakingChanges(pathToFileURL(`${folder}/`))).toEqual([
      { subject: "sendMessage", what: "POST /v1/messages is removed" },
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("every breaking change since the release is announced", async () => {
  const changelog = await readFile(new URL("CHANGELOG.md", project), "utf8");
  expect(unannounced(await findBreakingChanges(project), changelog)).toEqual([]);
});
