import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";

const project = path.join(import.meta.dirname, "../..");

test.each(["promises", "privacy"])("every test that the page of %s names exists", async (page) => {
  const text = await readFile(path.join(project, `docs/explanation/${page}.md`), "utf8");
  const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  const exists = (name: string) =>
    existsSync(path.join(project, name)) || existsSync(path.join(project, `${name}.test.ts`));
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

test("behind every claim that somebody cannot learn something stands a test", async () => {
  const text = await readFile(path.join(project, "docs/explanation/privacy.md"), "utf8");
  const claims = [...text.matchAll(/^\*cannot:\*\n\n((?:- .*\n(?: {2}.*\n)*)+)/gm)].flatMap(([, list = ""]) =>
    list.split(/^- /m).slice(1),
  );
  expect(claims.length).toBeGreaterThan(15);
  const untested = claims.filter((claim) => !claim.includes("`test/"));
  expect(untested.map((claim) => claim.split("\n")[0])).toEqual([
    // What lies outside the relay, and is said so.
    "read or change what devices say to the relay, if the operator serves HTTPS: that is up to the [set-up](../how-to/https.md).",
  ]);
});
