import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "../../../src/platform/net/free-port.js";
import { contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { longPackages } from "./typescript.js";

const present = () => undefined;

/** Readers of the contract that generate no client. */
export const documentToolchains: readonly Toolchain[] = [
  {
    name: "Spectral (oas, asyncapi, owasp)",
    long: true,
    missing: present,
    async run({ project, folder }) {
      await symlink(await longPackages(project), join(folder, "node_modules"));
      await copyFile(join(project, "scripts/clients/owasp-rules.yaml"), join(folder, "owasp-rules.yaml"));
      const spectral = (rules: string, names: string[]) => [
        ...["lint", "--fail-severity=warn", "--quiet", "--ruleset", rules],
        ...names.map((name) => contractOf(project, name)),
      ];
      const program = join(folder, "node_modules/.bin/spectral");
      await demand(program, spectral("owasp-rules.yaml", ["openapi.json", "openapi-3.0.json"]), folder);
      const all = ["openapi.json", "openapi-3.0.json", "asyncapi.json"];
      await demand(program, spectral(join(project, ".spectral.yaml"), all), folder);
    },
  },
  {
    name: "Prism (mock)",
    long: true,
    missing: present,
    async run({ project, folder }) {
      const prism = await startPrism(project, ["mock", contractOf(project)]);
      try {
        for (const { method, path, status } of await operationsOf(project)) {
          await expectExample(`${prism.url}${path}`, { method, status });
        }
      } finally {
        await prism.stop();
      }
      await writeFile(join(folder, "done"), "");
    },
  },
  {
    name: "Prism (proxy)",
    long: true,
    missing: present,
    async run(place) {
      const { url, ...task } = JSON.parse(await readFile(place.task, "utf8")) as { url: string };
      // With --errors every answer that leaves the contract becomes a 500.
      const prism = await startPrism(place.project, ["proxy", contractOf(place.project), url, "--errors"]);
      try {
        await writeFile(place.task, JSON.stringify({ ...task, url: prism.url }));
        await runTypescriptClient(place);
      } finally {
        await prism.stop();
      }
    },
  },
];

interface Prism {
  url: string;
  stop(): Promise<void>;
}

async function startPrism(project: string, [command = "", ...args]: string[]): Promise<Prism> {
  const port = await findFreePort();
  const program = join(await longPackages(project), ".bin/prism");
  const child = spawn(program, [command, "--host", "127.0.0.1", "--port", String(port), ...args], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const gone = once(child, "exit");
  const stop = async () => {
    child.kill();
    await gone;
  };
  for (let attempt = 0; attempt < 600 && child.exitCode === null; attempt += 1) {
    const answered = await fetch(url).catch(() => undefined);
    if (answered !== undefined) return { url, stop };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await stop();
  throw new Error(`prism ${command} did not start`);
}

interface Asked {
  method: string;
  path: string;
  /** Statuses of success. */
  status: number;
}

/** Operations without parameters and bodies need only a token, of any kind. */
async function operationsOf(project: string): Promise<Asked[]> {
  const { paths } = JSON.parse(await readFile(contractOf(project), "utf8")) as {
    paths: Record<string, Record<string, { parameters?: object[]; requestBody?: object; responses: object }>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { parameters = [], requestBody }]) => parameters.length === 0 && requestBody === undefined)
      .map(([method, { responses }]) => ({
        method,
        path,
        status: Math.min(...Object.keys(responses).map(Number).filter(Boolean)),
      })),
  );
}

async function expectExample(url: string, { method, status }: Omit<Asked, "path">): Promise<void> {
  const answer = await fetch(url, { method: method.toUpperCase(), headers: { authorization: "Bearer a.b.c" } });
  const text = await answer.text();
  if (answer.status !== status)
    throw new Error(`${method} ${url} is answered with ${answer.status}: ${text.slice(0, 500)}`);
}

async function runTypescriptClient({ project, folder, task }: Place): Promise<void> {
  const packages = join(project, "node_modules");
  await symlink(packages, join(folder, "node_modules"));
  await copyFile(join(project, "scripts/clients/typescript/openapi-typescript.ts"), join(folder, "client.ts"));
  const bundle = [
    "client.ts",
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--outfile=client.mjs",
    "--log-level=error",
  ];
  await demand(join(packages, ".bin/esbuild"), bundle, folder);
  await demandDone(process.execPath, ["client.mjs", task], folder);
}
