import { spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";

/** The unprivileged account of the database server if the relay runs as root. */
export interface DatabaseUser {
  uid: number;
  gid: number;
}

/** The result of a command. */
interface Outcome {
  succeeded: boolean;
  /** Its output, or the reason why it could not be run. */
  output: string;
}

const accountsInOrder = ["postgres", "nobody"];

/**
 * PostgreSQL refuses to run as root. For root this returns the owner of an existing data folder, else the account
 * `postgres`, else `nobody`; for other users undefined: no change of account. Throws if root finds no such account.
 */
export async function chooseDatabaseUser(dataFolder: string): Promise<DatabaseUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = await readAccounts();
  const found = accountsInOrder.map((name) => accounts.get(name)).find((user) => user !== undefined && user.uid !== 0);
  if (found) return found;
  throw new Error(
    "the embedded PostgreSQL does not run as root, and /etc/passwd has neither an account postgres nor nobody: " +
      "start the relay as an ordinary user or set DATABASE_URL",
  );
}

/** Whether that user can enter the folder by its path. */
export async function canEnter(folder: string, user: DatabaseUser | undefined): Promise<boolean> {
  const { succeeded } = await run("/bin/sh", ["-c", 'cd -- "$0"', folder], { user, cwd: "/" });
  return succeeded;
}

/** Runs a command to its end as that user, with a minimal environment. Keeps the last 4000 characters of its output. */
export function run(
  command: string,
  args: readonly string[],
  how: { user: DatabaseUser | undefined; cwd: string },
): Promise<Outcome> {
  return new Promise((resolve) => {
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    };
    const child = spawn(command, args, { ...spawnOptions(how.user), cwd: how.cwd, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => resolve({ succeeded: false, output: error.message }));
    child.on("close", (code) => resolve({ succeeded: code === 0, output: output.trim() }));
  });
}

/** The account and environment of a child process. The relay's own environment holds secrets and is not passed on. */
export function spawnOptions(user: DatabaseUser | undefined) {
  return { ...user, env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
}

async function readAccounts(): Promise<Map<string, DatabaseUser>> {
  const text = await readFile("/etc/passwd", "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.split(":"));
  return new Map(lines.map(([name = "", , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}
