import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));
const target = path.join(project, "dist/transpiled");

/** What tests start as separate processes. */
const programs = [
  "src/cli/main.ts",
  "scripts/demo/main.ts",
  "test/support/embedded-process.ts",
  "test/support/inject-errors.ts",
] as const;
/** A thread of the relay, which looks for it beside the code that starts it. */
const worker = { "src/cli/hash-thread": "src/registration/hash-thread.ts" };
const sources = ["src", "generated", "scripts", "test/support", "node_modules/.package-lock.json"];
/** Of the packages that the relay uses, what they would load for databases that it does not use. */
const otherDatabases = ["better-sqlite3", "mariadb", "mysql", "mysql2", "oracledb", "pg-native", "sqlite3", "tedious"];

/** Where a separate process finds a program of the project (`src/cli/main.ts`) in plain JavaScript. */
export function transpiled(program: (typeof programs)[number]): string {
  return path.join(target, program.replace(/\.ts$/, ".js"));
}

/**
 * Brings the plain JavaScript up to date. Each program is bundled with its packages, because a process that reads a
 * thousand files takes three times the processor time to start. Types are not checked here.
 */
export async function transpile(): Promise<void> {
  const newest = Math.max(...(await Promise.all(sources.map((source) => newestIn(path.join(project, source))))));
  const made = await Promise.all(programs.map((program) => stat(transpiled(program)).catch(() => undefined)));
  if (made.every((file) => file !== undefined && file.mtimeMs > newest)) return;
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: {
      ...Object.fromEntries(programs.map((program) => [program.replace(/\.ts$/, ""), program])),
      ...worker,
    },
    absWorkingDir: project,
    outdir: target,
    // As deep as the programs, which find other files by relative paths.
    chunkNames: "src/cli/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Logs and tests name classes.
    keepNames: true,
    // Playwright finds its files beside itself; the library for S3 is large, and few programs load it.
    external: [...otherDatabases, "mariadb/callback", "playwright-core", "@aws-sdk/client-s3"],
    // Some of the packages are CommonJS and require modules of Node.js.
    banner: {
      js: 'import { createRequire as toRequire } from "node:module";\nconst require = toRequire(import.meta.url);',
    },
    write: false,
    logLevel: "error",
  });
  // Programs last, since a run beside this one may start them at any time.
  const isProgram = ({ path: file }: { path: string }) => programs.some((program) => transpiled(program) === file);
  const files = [
    ...(await migrations()),
    ...outputFiles.toSorted((a, b) => Number(isProgram(a)) - Number(isProgram(b))),
  ];
  for (const { path: file, contents } of files) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(`${file}.${process.pid}`, contents);
    await rename(`${file}.${process.pid}`, file);
  }
}

/** The statements of migrations, which are read beside the code: that is in a chunk. */
async function migrations(): Promise<{ path: string; contents: Uint8Array }[]> {
  const folder = path.join(project, "src/database/migrations/sql");
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => ({
      path: path.join(target, "src/cli/sql", name),
      contents: await readFile(path.join(folder, name)),
    })),
  );
}

/** The time of the latest change in a file or a folder, in milliseconds. */
async function newestIn(place: string): Promise<number> {
  const found = await stat(place);
  if (!found.isDirectory()) return found.mtimeMs;
  const names = (await readdir(place)).filter((name) => name !== "dist" && name !== "node_modules");
  return Math.max(found.mtimeMs, ...(await Promise.all(names.map((name) => newestIn(path.join(place, name))))));
}
