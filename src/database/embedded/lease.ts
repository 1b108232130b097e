import pg from "pg";
import { closeConnection, connectionSettings } from "../connection.js";

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

/** Takes a share in the server; undefined while its last user is stopping it or it accepts no connections. */
export async function takeLease(url: string): Promise<Lease | undefined> {
  const client = new pg.Client(connectionSettings(url));
  const lost = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  try {
    await client.connect();
    if (await ask(client, "select pg_try_advisory_lock_shared($1::bigint) as answer")) return leaseOn(client, lost);
  } catch (error) {
    if ((error as { code?: string }).code === "28P01") throw error;
  }
  await closeConnection(client);
  return undefined;
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

async function ask(client: pg.Client, question: string): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(question, [leaseLock]);
  return rows[0]?.answer === true;
}
