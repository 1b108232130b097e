import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { until } from "../support/until.js";
import { argumentsOf, dockerStages, environmentOf, type Instruction } from "./dockerfile.js";

// Docker is not needed to follow a Dockerfile: each stage copies what its COPY lines name into a folder of its own and runs
// its RUN lines there. Then the image's programs run with that folder as their root, which they cannot write to.

const project = fileURLToPath(new URL("../../", import.meta.url));
const [build = [], final = []] = dockerStages();
/** The account `node` of the base image. */
const account = 1000;

/** What a COPY takes from the project: only what .dockerignore lets through. */
function copyFromContext(app: string, line: string): void {
  const allowed = readFileSync(join(project, ".dockerignore"), "utf8").split("\n");
  const names = line.split(/\s+/);
  const target = join(app, names.pop() ?? "");
  for (const name of names) {
    if (!allowed.includes(`!${name}`)) throw new Error(`.dockerignore keeps ${name} out`);
    const to = names.length > 1 || line.endsWith("./") ? join(target, basename(name)) : target;
    mkdirSync(dirname(to), { recursive: true });
    const ignored = allowed.filter((each) => each.startsWith("src/")).map((each) => join(project, each));
    cpSync(join(project, name), to, { recursive: true, filter: (file) => !ignored.includes(file) });
  }
}

/**
 * The build then skips the server and the messenger, which take most of its time, if what was copied is what they were built from here;
 * otherwise it builds them.
 */
function copyBuilt(app: string): void {
  for (const path of ["dist/src", "dist/generated", "dist/app", "dist/.stamps/server", "dist/.stamps/app"]) {
    if (!existsSync(join(project, path))) continue;
    mkdirSync(dirname(join(app, path)), { recursive: true });
    cpSync(join(project, path), join(app, path), { recursive: true });
  }
}

/**
 * The packages are those of the lock file, which are installed already. npm writes its list of them in place, so that file must not be the
 * project's.
 */
const packages = join(project, "node_modules");
const linkPackages = `cp -al ${packages} . && cp --remove-destination ${packages}/.package-lock.json node_modules`;

async function replayBuild(stage: readonly Instruction[], app: string): Promise<void> {
  copyBuilt(app);
  for (const { name, arguments: line } of stage) {
    if (name === "COPY") copyFromContext(app, line);
    if (name !== "RUN") continue;
    const command = line === "npm ci --ignore-scripts" ? linkPackages : line;
    await promisify(execFile)("sh", ["-c", command], { cwd: app, env: { ...process.env, NODE_ENV: undefined } });
  }
}

function replayFinal(stage: readonly Instruction[], { app, root }: { app: string; root: string }): void {
  for (const line of argumentsOf(stage, "COPY")) {
    const [, from = "", to = ""] = /^--from=build \/app\/(\S+) (\S+)$/.exec(line) ?? [];
    const target = join(root, "app", to.endsWith("/") ? join(to, basename(from)) : to);
    mkdirSync(dirname(target), { recursive: true });
    execFileSync("cp", ["-al", join(app, from), target]);
  }
}

/** Mounts what the base image and the container's options bring, and runs a command as the image's account. */
const inRoot = `set -e
root=$1; node=$2; shift 2
mount --bind "$root" "$root" && cd "$root"
for name in usr bin lib lib64 etc dev proc; do [ -e "/$name" ] && mkdir -p "$name" && mount --rbind "/$name" "$name"; done
mkdir -p opt tmp && touch opt/node && mount --bind "$node" opt/node && mount -t tmpfs tmpfs tmp
mount --bind "$root-data" var/lib/mls-relay
mount -o remount,bind,ro .
exec chroot . setpriv --reuid=${account} --regid=${account} --clear-groups --no-new-privs sh -c 'cd /app && exec "$@"' sh "$@"`;

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("the image", () => {
  let folder: string;
  let root: string;
  let database: TestDatabase;
  let relay: ChildProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mls-relay-image-"));
    root = join(folder, "root");
    const app = join(folder, "app");
    mkdirSync(app);
    await replayBuild(build, app);
    replayFinal(final, { app, root });
    mkdirSync(join(root, "var/lib/mls-relay"), { recursive: true });
    mkdirSync(`${root}-data`, { mode: 0o700 });
    execFileSync("chown", [`${account}:${account}`, `${root}-data`]);
    database = await createTestDatabase({ empty: true });
  });
  afterAll(async () => {
    relay?.kill("SIGKILL");
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A command in the container, with the image's environment and the variables that a user sets. */
  function start(command: readonly string[], variables: Record<string, string> = {}): ChildProcess {
    const [program = "", ...args] = command;
    const inside = program === "node" ? "/opt/node" : program;
    const env = {
      ...environmentOf(final),
      DATABASE_URL: database.url,
      PATH: "/opt:/usr/bin:/bin:/usr/sbin:/sbin",
      ...variables,
    };
    return spawn("unshare", ["--mount", "sh", "-c", inRoot, "sh", root, process.execPath, inside, ...args], { env });
  }

  async function output(child: ChildProcess): Promise<{ code: number | null; text: string }> {
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
    const code = await new Promise<number | null>((settle) => child.once("close", settle));
    return { code, text };
  }

  test("starts, is healthy, and answers commands, as its account and with a root that it cannot write to", async () => {
    const entry = JSON.parse(argumentsOf(final, "ENTRYPOINT")[0] ?? "[]");
    const [, check = ""] = /CMD (\[.*\])$/.exec(argumentsOf(final, "HEALTHCHECK")[0] ?? "") ?? [];
    const isHealthy = (port: string) => output(start(JSON.parse(check), { PORT: port })).then(({ code }) => code);
    expect(await isHealthy("1")).toBe(1);

    relay = start([...entry, ...JSON.parse(argumentsOf(final, "CMD")[0] ?? "[]")], { PORT: "0", HOST: "127.0.0.1" });
    let log = "";
    relay.stderr?.on("data", (chunk) => (log += String(chunk)));
    const ended = output(relay);
    void ended.then(({ text }) => (log += text));
    await until(async () => / at http:\/\/\S+:(\d+)/.test(log), "the relay listens");
    const port = / at http:\/\/\S+:(\d+)/.exec(log)?.[1] ?? "";

    expect(await isHealthy(port)).toBe(0);
    const status = await output(start(["sh", "/app/scripts/mls-relay", "status"], { PORT: port }));
    expect(status).toMatchObject({ code: 0, text: expect.stringMatching(/^alerts\s+none$/m) });
    const sdk = `Promise.all(["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"].map((name) => import(name)))`;
    expect(await output(start(["node", "-e", sdk]))).toEqual({ code: 0, text: "" });
    const write = await output(start(["node", "-e", "require('fs').writeFileSync('/app/x', '')"]));
    expect(write.text).toContain("EROFS");

    relay.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });
});
