import { execFile, spawnSync } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonPrograms } from "../fuzz/python.js";

/** One generator, and how its client is made and run. */
export interface Toolchain {
  name: string;
  /** Whether it is quick enough for every run, or for `--long` only. */
  long: boolean;
  /** Why it cannot be tried on this machine; undefined where it can. */
  missing(): string | undefined;
  /** Generates, compiles and runs the client in an empty folder; throws where anything fails. */
  run(place: Place): Promise<void>;
}

export interface Place {
  project: string;
  folder: string;
  /** File with what the client is to do. */
  task: string;
}

const run = promisify(execFile);
const patienceMillis = 600_000;
const openapiGenerator = "org.openapitools:openapi-generator-cli:7.16.0";
const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";

export const toolchains: readonly Toolchain[] = [
  {
    name: "openapi-typescript with openapi-fetch",
    long: false,
    missing: () => undefined,
    async run({ project, folder, task }) {
      const tool = (name: string) => join(project, "node_modules", ".bin", name);
      await demand(tool("openapi-typescript"), [contractOf(project), "--output", join(folder, "schema.ts")], folder);
      const source = await readFile(join(project, "scripts/clients/client.ts"), "utf8");
      await writeFile(join(folder, "client.ts"), source.replace("../../generated/openapi-types.js", "./schema.js"));
      await writeFile(join(folder, "package.json"), '{"type":"module"}');
      await copyTree(project, folder);
      const options = "--strict --target es2023 --module nodenext --skipLibCheck --types node".split(" ");
      await demand(tool("tsc"), [...options, "client.ts"], folder);
      await demandDone(process.execPath, ["client.js", task], folder);
    },
  },
  {
    name: "openapi-python-client",
    long: false,
    missing: () => absent("python3"),
    async run({ project, folder, task }) {
      const programs = await pythonPrograms(join(project, "scripts/clients/requirements.txt"));
      const output = ["--output-path", join(folder, "mls_relay_client"), "--meta", "none"];
      // Its exit code is that of the formatter that it would run afterwards, which is not here.
      const generate = ["generate", "--path", contractOf(project), ...output];
      await demand(join(programs, "openapi-python-client"), generate, folder).catch(() => "");
      await copyFile(join(project, "scripts/clients/client.py"), join(folder, "client.py"));
      await demand(join(programs, "python"), ["-m", "compileall", "-q", "mls_relay_client"], folder);
      await demandDone(join(programs, "python"), ["client.py", task], folder);
    },
  },
  {
    name: "oapi-codegen (Go)",
    long: true,
    missing: () => absent("go"),
    async run({ project, folder, task }) {
      await mkdir(join(folder, "relay"));
      await copyFile(join(project, "scripts/clients/client.go"), join(folder, "main.go"));
      await copyFile(join(project, "scripts/clients/oapi-codegen.yaml"), join(folder, "oapi-codegen.yaml"));
      await demand("go", ["mod", "init", "example.com/client"], folder);
      await demand("go", ["run", oapiCodegen, "-config", "oapi-codegen.yaml", contractOf(project)], folder);
      await demand("go", ["mod", "tidy"], folder);
      await demandDone("go", ["run", ".", task], folder);
    },
  },
  {
    name: "openapi-generator (Java)",
    long: true,
    missing: () => absent("java") ?? absent("mvn"),
    async run({ project, folder, task }) {
      const copy = ["-q", "dependency:copy", `-Dartifact=${openapiGenerator}`, "-Dmdep.stripVersion=true"];
      await demand("mvn", [...copy, `-DoutputDirectory=${folder}`], folder);
      const made = join(folder, "made");
      const generate = ["generate", "-i", contractOf(project), "-g", "java", "--library", "native", "-o", made];
      // Its validator takes the bodies of links for texts, which the standard does not ask for.
      const options = ["--skip-validate-spec", "--additional-properties=openApiNullable=false"];
      await demand("java", ["-jar", "openapi-generator-cli.jar", ...generate, ...options], folder);
      await copyFile(join(project, "scripts/clients/Client.java"), join(made, "src/main/java/Client.java"));
      await demand("mvn", ["-q", "compile", "dependency:build-classpath", "-Dmdep.outputFile=path.txt"], made);
      const libraries = (await readFile(join(made, "path.txt"), "utf8")).trim();
      await demandDone("java", ["-cp", `target/classes:${libraries}`, "Client", task], made);
    },
  },
];

function contractOf(project: string): string {
  return join(project, "generated/openapi.json");
}

function absent(command: string): string | undefined {
  const { error } = spawnSync(command, ["--version"], { stdio: "ignore" });
  return error === undefined ? undefined : `${command} is not at hand`;
}

/** Packages are found by the folder's own link. */
async function copyTree(project: string, folder: string): Promise<void> {
  await demand("ln", ["-s", join(project, "node_modules"), "node_modules"], folder);
}

async function demandDone(command: string, args: readonly string[], cwd: string): Promise<void> {
  const output = await demand(command, args, cwd);
  if (!output.trimEnd().endsWith("done")) throw new Error(`the client did not come to its end:\n${output}`);
}

/** Runs a program to its end and gives what it wrote. The relay lives in this process, so nothing may hold it up. */
async function demand(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await run(command, args, { cwd, timeout: patienceMillis, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (failure) {
    const { stdout = "", stderr = "" } = failure as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}: ${failure}\n${`${stdout}${stderr}`.slice(-4_000)}`);
  }
}
