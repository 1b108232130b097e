import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { closeConnection, connectionSettings } from "../pool/connection.js";

/**
 * One process's share in an embedded server: a connection that holds a shared advisory lock while the process lives.
 * The lock of a process that dies ends with its connection, so the locks always count live processes.
 */
export interface Lease {
  /** Resolves when the connection is lost without having been released. */
  lost: Promise<void>;
  /**
   * Releases the share and returns whether it was the last. The last one keeps an exclusive lock until `close`, so that no
   * process takes a new share in a server that is about to stop.
   */
  giveBack(): Promise<boolean>;
  close(): Promise<void>;
}

// An arbitrary number that all versions of the relay share.
const leaseLock = 7_350_202;

/**
 * Takes a share in the server on a data folder; undefined while its last user is stopping it, and if the server on
 * that port has other files. Throws if it accepts no connection; `isPassing` says whether another attempt may succeed.
 */
export async function takeLease(url: string, data: string): Promise<Lease | undefined> {
  const client = new pg.Client(connectionSettings(url));
  const lost = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  try {
    await client.connect();
    if (await isOn(client, data)) {
      if (await ask(client, "select pg_try_advisory_lock_shared($1::bigint) as answer")) return leaseOn(client, lost);
    }
  } catch (error) {
    await closeConnection(client);
    throw error;
  }
  await closeConnection(client);
  return undefined;
}

// SQLSTATE classes: the connection broke, resources are short, the server starts or stops, an error inside it.
const passingClasses = ["08", "53", "57", "58", "XX"];

/** Whether a server that is ready may still accept the next connection. An error of the network has no SQLSTATE. */
export function isPassing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  const isState = typeof code === "string" && /^[0-9A-Z]{5}$/.test(code);
  return !isState || passingClasses.includes(code.slice(0, 2));
}

function leaseOn(client: pg.Client, lost: Promise<void>): Lease {
  return {
    lost,
    async giveBack() {
      await ask(client, "select pg_advisory_unlock_shared($1::bigint) as answer");
      return ask(client, "select pg_try_advisory_lock($1::bigint) as answer");
    },
    close: () => closeConnection(client),
  };
}

/**
 * Whether the server has these files: it sees a file that was just made beside them. In another network namespace the
 * port may belong to a stranger's server, even to one on a copy of the folder.
 */
async function isOn(client: pg.Client, data: string): Promise<boolean> {
  const name = `seen.${randomBytes(6).toString("hex")}`;
  const file = path.join(path.dirname(data), name);
  await writeFile(file, "", { mode: 0o600, flag: "wx" });
  try {
    const { rowCount } = await client.query("select from pg_stat_file($1, true) where size is not null", [
      `../${name}`,
    ]);
    return rowCount === 1;
  } finally {
    await rm(file);
  }
}

async function ask(client: pg.Client, question: string): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(question, [leaseLock]);
  return rows[0]?.answer === true;
}
