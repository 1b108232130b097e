import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { findStalePages, writePages } from "../../scripts/generate/pages.js";

const project = new URL("../../", import.meta.url);

test("pages with tables from the code are found stale after a change of a table, and made fresh", async () => {
  const folder = pathToFileURL(`${await mkdtemp(join(tmpdir(), "mls-relay-pages-"))}/`);
  try {
    await cp(new URL("docs/", project), new URL("docs/", folder), { recursive: true });
    expect(await findStalePages(folder)).toEqual([]);
    const rows = {
      "docs/explanation/scale.md": /\| cores for relays .*\n/,
      "docs/reference/conformance-rules.md": /- `discovery\.document`.*\n/,
      "docs/reference/limits.md": /\| `server\.max_message_size`.*\n/,
      "docs/reference/metrics.md": /- `svc_nodes`.*\n/,
    };
    for (const [name, row] of Object.entries(rows)) {
      const file = new URL(name, folder);
      const page = await readFile(file, "utf8");
      await writeFile(file, page.replace(row, ""));
      expect(await findStalePages(folder)).toEqual([name]);
      await writePages(folder);
      expect(await readFile(file, "utf8")).toBe(page);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

// That it is fresh is one of the checks.
test("what is generated imports nothing but itself", async () => {
  for (const name of await readdir(new URL("generated/", project))) {
    if (!/\.(?:ts|js)$/.test(name)) continue;
    const text = await readFile(new URL(`generated/${name}`, project), "utf8");
    const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
    expect(imported.filter((from) => !from.startsWith("./"))).toEqual([]);
  }
});
