import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { homedir } from "node:os";
import path from "node:path";

const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const versitygw = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";

/** A program that tests need and npm does not install. */
interface Program {
  /** Where it is on this machine. */
  find(): string | undefined;
  /** The command that installs it. */
  install: string;
  /** Files and folders in which tests are skipped if it is missing. */
  tests: readonly string[];
  /** Files that are not run if it is missing. */
  wholeFiles?: readonly string[];
}

export type ProgramName =
  | "chromium"
  | "firefox"
  | "webkit"
  | "xvfb"
  | "nginx"
  | "caddy"
  | "pgbouncer"
  | "openssl"
  | "python3"
  | "promtool"
  | "systemd-analyze"
  | "pebble"
  | "nats-server"
  | "haproxy"
  | "pg_basebackup"
  | "go"
  | "node-24"
  | "hermes-compiler"
  | "hermes"
  | "versitygw"
  | "actionlint";

export const programs: Readonly<Record<ProgramName, Program>> = {
  chromium: {
    find: () => process.env["CHROMIUM"] || findOnPath("chromium", "chromium-browser", "google-chrome"),
    install: "apt-get install chromium",
    tests: [
      "test/client/browser.test.ts",
      "test/contract/pages-in-browser.test.ts",
      "test/console/",
      "test/app/",
      "test/demo/app.test.ts",
    ],
  },
  firefox: {
    find: () => process.env["TEST_FIREFOX"] || findOnPath("firefox-esr", "firefox"),
    install: "apt-get install firefox-esr",
    tests: ["test/app/other-browsers.test.ts"],
  },
  webkit: {
    find: () => findOnPath("WebKitWebDriver"),
    install: "apt-get install webkit2gtk-driver",
    tests: ["test/app/other-browsers.test.ts"],
  },
  // A screen for WebKit.
  xvfb: {
    find: () => findOnPath("Xvfb"),
    install: "apt-get install xvfb",
    tests: ["test/app/other-browsers.test.ts"],
  },
  nginx: {
    find: () => process.env["TEST_NGINX"] || findOnPath("nginx"),
    install: "apt-get install nginx",
    tests: ["test/proxies/"],
  },
  caddy: {
    find: () => process.env["TEST_CADDY"] || findOnPath("caddy"),
    install: "apt-get install caddy",
    tests: ["test/proxies/"],
  },
  pgbouncer: {
    find: () => findOnPath("pgbouncer"),
    install: "apt-get install pgbouncer",
    tests: ["test/database/pgbouncer.test.ts"],
  },
  openssl: {
    find: () => findOnPath("openssl"),
    install: "apt-get install openssl",
    tests: ["test/cli/admin.test.ts"],
    wholeFiles: ["test/federation/chains.test.ts", "test/federation/test-ca.test.ts"],
  },
  python3: {
    find: () => (hasVenv() ? findOnPath("python3") : undefined),
    install: "apt-get install python3-venv",
    tests: ["npm run fuzz", "npm run lab -- faults", "test/strangers/", "test/vectors/"],
  },
  promtool: {
    find: () => findOnPath("promtool"),
    install: "apt-get install prometheus",
    tests: ["test/deploy/monitoring.test.ts"],
  },
  "systemd-analyze": {
    find: () => findOnPath("systemd-analyze"),
    install: "apt-get install systemd",
    tests: ["test/deploy/systemd.test.ts"],
  },
  // A certificate authority for tests, by the makers of Let's Encrypt.
  pebble: {
    find: () => process.env["TEST_PEBBLE"] || findOnPath("pebble"),
    install: "apt-get install pebble",
    tests: ["test/deploy/acme.test.ts"],
  },
  "nats-server": {
    find: () => findOnPath("nats-server"),
    install: "apt-get install nats-server",
    tests: ["test/node/wake-up-bus.test.ts", "test/health/wake-up-bus-gone.test.ts"],
  },
  haproxy: {
    find: () => findOnPath("haproxy"),
    install: "apt-get install haproxy",
    tests: ["test/proxies/", "test/deploy/failover.test.ts"],
  },
  // The embedded PostgreSQL lacks the programs for replication.
  pg_basebackup: {
    find: () => findOnPath("pg_basebackup") ?? findOfPostgres("pg_basebackup"),
    install: "apt-get install postgresql",
    tests: ["test/deploy/failover.test.ts", "test/histories/faults.test.ts"],
  },
  go: {
    find: () => findOnPath("go"),
    install: "apt-get install golang-go",
    tests: ["test/vectors/", "test/histories/"],
  },
  // For what Node.js 20 lacks: SQLite.
  "node-24": {
    find: () => process.env["TEST_NODE_24"] || (isBuiltin("node:sqlite") ? process.execPath : undefined),
    install: "npm install --prefix FOLDER node@24, and TEST_NODE_24=FOLDER/node_modules/.bin/node",
    tests: ["test/groups/", "test/cli/helper-threads.test.ts"],
  },
  "hermes-compiler": {
    find: () => ofHermes("hermes-compiler/hermesc", "hermesc"),
    install: "npm ci",
    tests: ["test/groups/react-native.test.ts"],
  },
  // The engine of React Native. TEST_HERMES may name a newer one than the package has.
  hermes: {
    find: () => process.env["TEST_HERMES"] || ofHermes("hermes-engine-cli", "hermes"),
    install: "npm ci",
    tests: ["test/groups/react-native.test.ts"],
  },
  // A server that speaks S3 and keeps objects in a folder.
  versitygw: {
    find: () => process.env["TEST_VERSITYGW"] || findOnPath("versitygw") || builtByGo("versitygw"),
    install: `go install ${versitygw}`,
    tests: ["test/blobs/"],
  },
  actionlint: {
    find: () => process.env["TEST_ACTIONLINT"] || findOnPath("actionlint") || builtByGo("actionlint"),
    install: `go install ${actionlint}`,
    tests: ["test/deploy/workflows.test.ts"],
  },
};

/** Chromium without a user interface. Nothing is skipped where it is missing: the tests then take the whole Chromium. */
export function findHeadlessShell(): string | undefined {
  if (process.env["CHROMIUM"]) return undefined;
  return process.env["TEST_HEADLESS_SHELL"] || findOnPath("chromium-headless-shell");
}

/** For `skipIf`. Throws in CI, where every program must be installed: nobody would run a test that CI skips. */
export function isMissing(name: ProgramName): boolean {
  const { find, install } = programs[name];
  if (find() !== undefined) return false;
  if (process.env["CI"] === "true") throw new Error(`${name} is missing: ${install}`);
  return true;
}

/** Also searches the folders of system programs, which the PATH of an ordinary account may lack. */
function findOnPath(...names: string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return files.find(isExecutable);
}

/** Where `go install` puts its programs. */
function builtByGo(name: string): string | undefined {
  const folder = process.env["GOBIN"] || path.join(process.env["GOPATH"] || path.join(homedir(), "go"), "bin");
  const file = path.join(folder, name);
  return isExecutable(file) ? file : undefined;
}

/** A program of Hermes, which its packages have for Intel processors. */
function ofHermes(folder: string, program: string): string | undefined {
  const system = { linux: "linux64-bin", darwin: "osx-bin" }[process.platform as string];
  const file = path.join("node_modules", folder, system ?? "", program);
  return system !== undefined && process.arch === "x64" && isExecutable(file) ? path.resolve(file) : undefined;
}

/** Debian keeps the server programs of each PostgreSQL version in a separate folder; the newest comes first. */
function findOfPostgres(name: string): string | undefined {
  const versions = "/usr/lib/postgresql";
  const found = existsSync(versions) ? readdirSync(versions) : [];
  const newestFirst = found.sort((one, other) => Number(other) - Number(one));
  return newestFirst.map((version) => path.join(versions, version, "bin", name)).find(isExecutable);
}

/** Debian's python3 lacks the module that creates environments. */
function hasVenv(): boolean {
  return spawnSync("python3", ["-c", "import ensurepip, venv"], { stdio: "ignore" }).status === 0;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
