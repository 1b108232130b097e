import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBreakingChanges, keepsMajorVersion } from "../../scripts/check-compatibility.js";
import { findBrokenPromises } from "../../scripts/check-frozen.js";
import type { Form } from "../../scripts/frozen/form.js";
import {
  contractFiles,
  findChangedContract,
  findChanges,
  hashContract,
  type Manifest,
  type Present,
  sampleForms,
} from "../../scripts/frozen/manifest.js";
import { frozenMigrations } from "../../scripts/frozen/migrations.js";
import { readPresent } from "../../scripts/frozen/present.js";
import { migrations } from "../../src/database/migrations/list.js";

const project = new URL("../../", import.meta.url);
const version = "9.8.7";

let present: Present;
let manifest: Manifest;

beforeAll(async () => {
  present = await readPresent(new URL("spec/released/", project));
  const { contract, migrations: steps, forms } = present;
  manifest = { version, released: "2026-01-01", contract, migrations: steps, forms: await sampleForms(forms) };
});

/** The same forms with another one in place of the one of this name. */
function replaced(name: string, change: (form: Form) => Form): Present {
  expect(present.forms.map((form) => form.name)).toContain(name);
  return { ...present, forms: present.forms.map((form) => (form.name === name ? change(form) : form)) };
}

test("sources that have not changed keep the promise, also with a new step and a new form", async () => {
  expect(await findChanges(manifest, present)).toEqual([]);
  const extended = {
    ...present,
    migrations: [...present.migrations, { name: "0002-later", hash: "00" }],
    forms: [...present.forms, { name: "of a later version", write: () => "text" }],
  };
  expect(await findChanges(manifest, extended)).toEqual([]);
});

describe("a released step of the schema", () => {
  test("is refused by name if its SQL differs, and not if only its white space does", async () => {
    const stepOf = (sql: string) => frozenMigrations([{ name: "0001-first", sql }]);
    const released = { ...manifest, migrations: stepOf("create table colours (name text)") };
    const spread = stepOf("create table  colours\n (name text)\n");
    expect(await findChanges(released, { ...present, migrations: spread })).toEqual([]);
    const wider = stepOf("create table colours (name text, hue int)");
    expect(await findChanges(released, { ...present, migrations: wider })).toEqual([
      `migration 0001-first: its SQL differs (released with ${version})`,
    ]);
  });

  test("is refused by name if it is renamed, or another step runs before it", async () => {
    const [first, ...others] = present.migrations;
    const renamed = [{ name: "0001-renamed", hash: first?.hash ?? "" }, ...others];
    expect(await findChanges(manifest, { ...present, migrations: renamed })).toEqual([
      `migration ${migrations[0]?.name}: step 1 is 0001-renamed (released with ${version})`,
    ]);
    expect(await findChanges(manifest, { ...present, migrations: [] })).toEqual(
      migrations.map(({ name }, i) => `migration ${name}: step ${i + 1} is missing (released with ${version})`),
    );
  });
});

test("a changed signed text is refused by name", async () => {
  const name = "signed text of an announcement with an audience";
  const changed = replaced(name, ({ write }) => ({ name, write: async () => `${await write?.()}\n` }));
  expect(await findChanges(manifest, changed)).toEqual([
    `${name}: is written in another form (released with ${version})`,
  ]);
});

describe("a stored form", () => {
  const name = "value sealed under the master key";

  test("is refused by name if it is written in another form", async () => {
    const changed = replaced(name, ({ write, read }) => ({
      name,
      write: async () => `Ag${await write?.()}`,
      ...also({ read }),
    }));
    expect(await findChanges(manifest, changed)).toEqual([
      `${name}: is written in another form (released with ${version})`,
    ]);
  });

  test("is refused by name if a released sample is no longer read, or is read as something else", async () => {
    const refusing = replaced(name, ({ write }) => ({
      name,
      ...also({ write }),
      read: () => {
        throw new RangeError("sealed in an unknown form");
      },
    }));
    expect(await findChanges(manifest, refusing)).toEqual([
      `${name}: can no longer be read: sealed in an unknown form (released with ${version})`,
    ]);
    const garbling = replaced(name, ({ write }) => ({ name, ...also({ write }), read: () => "another text" }));
    expect(await findChanges(manifest, garbling)).toEqual([
      `${name}: is read as something else (released with ${version})`,
    ]);
    const without = { ...present, forms: present.forms.filter((form) => form.name !== name) };
    expect(await findChanges(manifest, without)).toEqual([
      `${name}: is no longer written or read (released with ${version})`,
    ]);
  });

  test("may get a successor if it is still read", async () => {
    const succeeded = replaced(name, ({ read }) => ({ name, ...also({ read }) }));
    expect(await findChanges(manifest, succeeded)).toEqual([]);
  });
});

function also<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

describe("the released contract", () => {
  let folder: string;
  let root: URL;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mls-relay-frozen-"));
    root = pathToFileURL(`${folder}/`);
    for (const place of ["spec/released", "generated"]) {
      await mkdir(join(folder, place), { recursive: true });
      for (const name of contractFiles)
        await copyFile(new URL(`generated/${name}`, project), join(folder, place, name));
    }
    const contract = await hashContract(new URL("spec/released/", root));
    await writeFile(join(folder, `spec/released/${version}.json`), JSON.stringify({ ...manifest, contract }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("is refused by name if a required field of an answer is removed, and it may not be replaced by the new one", async () => {
    expect(await keepsMajorVersion(root)).toBe(true);
    const today = join(folder, "generated/openapi.json");
    const document = JSON.parse(await readFile(today, "utf8"));
    const answer = document.components.schemas.SlotReceipt;
    const [removed] = answer.required;
    delete answer.properties[removed];
    answer.required = answer.required.filter((name: string) => name !== removed);
    await writeFile(today, JSON.stringify(document));
    const found = await findBreakingChanges(root);
    expect(found.map(({ what }) => what).join("\n")).toContain(removed);

    await copyFile(today, join(folder, "spec/released/openapi.json"));
    expect(await findBrokenPromises(root)).toEqual([
      `spec/released/openapi.json is not the contract that ${version} published`,
    ]);
    expect(findChangedContract(manifest, present.contract)).toEqual([]);
  });
});
