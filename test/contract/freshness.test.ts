import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generate } from "../../scripts/generate/main.js";

const project = new URL("../../", import.meta.url);

describe("generated/", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mls-relay-generated-"));
    await mkdir(join(folder, "generated"));
    await cp(new URL("spec/", project), join(folder, "spec"), { recursive: true });
    await generate(pathToFileURL(`${folder}/`));
  }, 180_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("holds the files that the contract gives, and no others", async () => {
    const made = (await readdir(join(folder, "generated"))).sort();
    expect((await readdir(new URL("generated/", project))).sort()).toEqual(made);
  });

  it("is what the contract gives today, to the byte", async () => {
    for (const name of await readdir(join(folder, "generated"))) {
      const made = await readFile(join(folder, "generated", name), "utf8");
      const committed = await readFile(new URL(`generated/${name}`, project), "utf8");
      expect(committed === made, `generated/${name} is out of date: npm run generate`).toBe(true);
    }
  });

  it("imports nothing but itself", async () => {
    for (const name of await readdir(new URL("generated/", project))) {
      if (!/\.(?:ts|js)$/.test(name)) continue;
      const text = await readFile(new URL(`generated/${name}`, project), "utf8");
      const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
      expect(imported.filter((from) => !from.startsWith("./"))).toEqual([]);
    }
  });
});
