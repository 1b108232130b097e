import { spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";

/** The unprivileged account that the database server runs under where the relay itself runs as root. */
export interface DatabaseUser {
  uid: number;
  gid: number;
}

/** How a command ended. */
export interface Outcome {
  succeeded: boolean;
  /** What it wrote, or why it could not be run. */
  output: string;
}

const accountsInOrder = ["postgres", "nobody"];

/**
 * PostgreSQL refuses to run as root. As root the answer is the owner of an existing data folder, else the account
 * `postgres`, else `nobody`; as anybody else it is undefined: no change of account. Throws where there is none to take.
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

/** Runs a command to its end as that user, with a bare environment. Its last 4000 characters of output are kept. */
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

/** The account and the environment for a child process: nothing of the relay's own environment, which holds secrets. */
export function spawnOptions(user: DatabaseUser | undefined) {
  return { ...user, env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
}

async function readAccounts(): Promise<Map<string, DatabaseUser>> {
  const text = await readFile("/etc/passwd", "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.split(":"));
  return new Map(lines.map(([name = "", , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}
