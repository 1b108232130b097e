import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** A program that tests need and npm does not install. */
interface Program {
  /** Where it is on this machine. */
  find(): string | undefined;
  debianPackage: string;
  /** Files and folders in which tests are skipped if it is missing. */
  tests: readonly string[];
  /** Files that are not run if it is missing. */
  wholeFiles?: readonly string[];
}

export type ProgramName =
  | "chromium"
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
  | "go";

export const programs: Readonly<Record<ProgramName, Program>> = {
  chromium: {
    find: () => process.env["CHROMIUM"] || findOnPath("chromium", "chromium-browser", "google-chrome"),
    debianPackage: "chromium",
    tests: ["test/client/browser.test.ts", "test/contract/pages-in-browser.test.ts", "test/console/"],
  },
  nginx: {
    find: () => process.env["TEST_NGINX"] || findOnPath("nginx"),
    debianPackage: "nginx",
    tests: ["test/proxies/"],
  },
  caddy: {
    find: () => process.env["TEST_CADDY"] || findOnPath("caddy"),
    debianPackage: "caddy",
    tests: ["test/proxies/"],
  },
  pgbouncer: {
    find: () => findOnPath("pgbouncer"),
    debianPackage: "pgbouncer",
    tests: ["test/platform/pgbouncer.test.ts"],
  },
  openssl: {
    find: () => findOnPath("openssl"),
    debianPackage: "openssl",
    tests: ["test/cli/admin.test.ts"],
    wholeFiles: ["test/federation/chains.test.ts", "test/federation/test-ca.test.ts"],
  },
  python3: {
    find: () => (hasVenv() ? findOnPath("python3") : undefined),
    debianPackage: "python3-venv",
    tests: ["npm run fuzz", "npm run faults", "test/strangers/", "test/vectors/"],
  },
  promtool: {
    find: () => findOnPath("promtool"),
    debianPackage: "prometheus",
    tests: ["test/deploy/monitoring.test.ts"],
  },
  "systemd-analyze": {
    find: () => findOnPath("systemd-analyze"),
    debianPackage: "systemd",
    tests: ["test/deploy/systemd.test.ts"],
  },
  // A certificate authority for tests, by the makers of Let's Encrypt.
  pebble: {
    find: () => process.env["TEST_PEBBLE"] || findOnPath("pebble"),
    debianPackage: "pebble",
    tests: ["test/deploy/acme.test.ts"],
  },
  "nats-server": {
    find: () => findOnPath("nats-server"),
    debianPackage: "nats-server",
    tests: ["test/nodes/wake-up-bus.test.ts", "test/health/wake-up-bus-gone.test.ts"],
  },
  haproxy: {
    find: () => findOnPath("haproxy"),
    debianPackage: "haproxy",
    tests: ["test/deploy/failover.test.ts"],
  },
  // The embedded PostgreSQL lacks the programs for replication.
  pg_basebackup: {
    find: () => findOnPath("pg_basebackup") ?? findOfPostgres("pg_basebackup"),
    debianPackage: "postgresql",
    tests: ["test/deploy/failover.test.ts", "test/histories/faults.test.ts"],
  },
  go: {
    find: () => findOnPath("go"),
    debianPackage: "golang-go",
    tests: ["test/vectors/", "test/histories/"],
  },
};

/** For `skipIf`. Throws in CI, where every program must be installed: nobody would run a test that CI skips. */
export function isMissing(name: ProgramName): boolean {
  const { find, debianPackage } = programs[name];
  if (find() !== undefined) return false;
  if (process.env["CI"] === "true") throw new Error(`${name} is missing: apt-get install ${debianPackage}`);
  return true;
}

/** Also searches the folders of system programs, which the PATH of an ordinary account may lack. */
function findOnPath(...names: string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return files.find(isExecutable);
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
