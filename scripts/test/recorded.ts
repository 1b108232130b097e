import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "./dependencies.js";
import { isCi } from "./totals.js";

/** Parts of the suite that take long, and test little but their inputs. */
export type Part = keyof typeof inputs;

const contract = /^(generated\/|spec\/(?!decisions\/|released\/|model\/))/;
const fuzzer = /^(test\/fuzz\/|scripts\/fuzz(\.ts$|\/))/;

/** The files that decide what a part finds. The lock file belongs to all of them. */
export const inputs = {
  "the models": [/^spec\/model\//, /^scripts\/model\/(simulator|mutations)\.ts$/, /^test\/model\/models\.test\.ts$/],
  "conformance mutants": [contract, /^src\/conformance\//, /^test\/conformance\/(harness|mutants)/],
  "generated clients": [contract, /^scripts\/clients(\.ts$|\/)/],
  "planted faults": [
    ...[contract, fuzzer, /^scripts\/faults\.ts$/, /^test\/faults\//],
    ...[/^src\/auth\/tokens\.ts$/, /^src\/infopackages\//, /^src\/http\/answer\//],
  ],
  "fuzzing in full": [contract, fuzzer, /^src\/http\//, /^src\/.*handlers\.ts$/],
  // CI's workflow builds the image itself, and runs it.
  "the image": [
    ...[/^(Dockerfile|\.dockerignore|package\.json|tsconfig(\.build)?\.json)$/, /^scripts\/build\//],
    ...[/^scripts\/(run|tool)\.ts$/, /^scripts\/(mls-relay|healthcheck\.js)$/, /^src\/(cli|process)\//],
    ...[/^src\/\w+\/package\.json$/, /^test\/deploy\/(dockerfile|image\.test)\.ts$/],
  ],
  "building before a start": [
    ...[/^scripts\/build\//, /^scripts\/(prestart|start)\.js$/, /^(package|tsconfig(\.build)?)\.json$/],
    ...[/^src\/\w+\/package\.json$/, /^test\/cli\/prestart\.test\.ts$/],
  ],
  "the packages": [
    ...[contract, /^src\/(auth|client|conformance|groups|platform|protocol)\//, /^scripts\/build\//, /^package\.json$/],
    ...[
      /^test\/client\/(installed-package|package\.test|browser\/loaded-at-once)/,
      /^test\/groups\/package\.test\.ts$/,
    ],
    /^test\/conformance\/(kit\.test|client-program|groups-program)/,
  ],
  "the validator": [
    contract,
    ...[/^src\/(http|platform|protocol)\//, /^scripts\/generate\/request-validators/],
    /^test\/http\/(fixture|raw|validator\.test)/,
  ],
  // How pages look in both colour schemes, to screen readers and in German. Other tests show what they do.
  "the views of the console": [contract, /^src\/console\//, /^test\/console\/(harness|accessibility\.test)\.ts$/],
  "the views of the messenger": [
    ...[/^src\/app\//, /^test\/app\/(people|views\.test)\.ts$/, /^test\/console\/harness\.ts$/],
  ],
  "the embedded PostgreSQL": [
    ...[/^src\/database\/(embedded|pool)\//, /^src\/platform\//, /^test\/database\/embedded.*\.ts$/],
    /^test\/support\/(embedded|embedded-process|transpiled)\.ts$/,
  ],
} as const satisfies Record<string, readonly RegExp[]>;

export const parts = Object.keys(inputs) as Part[];

/** Test files that are parts. */
export const filesOfParts: Readonly<Partial<Record<Part, readonly string[]>>> = {
  "the models": ["test/model/models.test.ts"],
  "conformance mutants": ["test/conformance/mutants.test.ts"],
  "the image": ["test/deploy/image.test.ts"],
  "building before a start": ["test/cli/prestart.test.ts"],
  "the packages": ["test/client/package.test.ts", "test/groups/package.test.ts", "test/conformance/kit.test.ts"],
  "the validator": ["test/http/validator.test.ts"],
  "the views of the console": ["test/console/accessibility.test.ts"],
  "the views of the messenger": ["test/app/views.test.ts"],
  "the embedded PostgreSQL": [
    "test/database/embedded.test.ts",
    "test/database/embedded-copies.test.ts",
    "test/database/embedded-elsewhere.test.ts",
  ],
};

/** Of these `npm test` runs a share, another one each day, so it cannot tell that they pass. */
export const inShares: ReadonlySet<Part> = new Set<Part>(["conformance mutants", "generated clients"]);

/** With what inputs each part passed last. It is committed, and `npm run lab -- thorough` runs all parts without it. */
const recordFile = "test/passed.json";
const alwaysInputs = /^package-lock\.json$/;

interface Recorded {
  /** Whether the inputs differ from those with which the part passed last. */
  isDue(part: Part): boolean;
  /** Writes that these parts passed with the present inputs. CI writes nothing, because nobody would commit it. */
  passed(parts: readonly Part[]): Promise<void>;
}

/** Without Git nobody knows the inputs, so every part is due. */
export async function readRecorded(project: string): Promise<Recorded> {
  const file = join(project, recordFile);
  const recorded = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Partial<Record<Part, string>>;
  const present = await hashAll(project).catch(() => new Map<Part, string>());
  return {
    isDue: (part) => !present.has(part) || recorded[part] !== present.get(part),
    async passed(passedParts) {
      if (isCi() || passedParts.length === 0) return;
      for (const part of passedParts) recorded[part] = present.get(part) ?? "";
      const known = parts.flatMap((part) => (recorded[part] === undefined ? [] : [[part, recorded[part]]]));
      await writeFile(file, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`);
    },
  };
}

async function hashAll(project: string): Promise<Map<Part, string>> {
  const files = listFiles(project).filter((file) => existsSync(join(project, file)));
  const hashes = new Map<Part, string>();
  for (const part of parts) {
    const patterns: readonly RegExp[] = [...inputs[part], alwaysInputs];
    const hash = createHash("sha256");
    for (const file of files.filter((name) => patterns.some((pattern) => pattern.test(name))).toSorted()) {
      const content = createHash("sha256").update(await readFile(join(project, file)));
      hash.update(`${file} ${content.digest("hex")}\n`);
    }
    hashes.set(part, hash.digest("hex"));
  }
  return hashes;
}
