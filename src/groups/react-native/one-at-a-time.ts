import type { SqliteDriver } from "../store/sqlite-driver.js";

const opened = new Set<string>();

/**
 * Opens a database once at a time. An application on a phone is one process, so no lock on the file is needed; iOS ends applications
 * that hold one on a shared file while they are suspended.
 */
export function oneAtATime(name: string, open: () => Promise<SqliteDriver>): () => Promise<SqliteDriver | undefined> {
  return async () => {
    if (opened.has(name)) return undefined;
    opened.add(name);
    try {
      const driver = await open();
      return { ...driver, close: () => driver.close().finally(() => opened.delete(name)) };
    } catch (problem) {
      opened.delete(name);
      throw problem;
    }
  };
}

/** A commit is on the disk when it returns: on Apple's systems, `synchronous` alone leaves it in the disk's own memory. */
export const durable = ["pragma synchronous = full", "pragma fullfsync = on"];
export const journal = "pragma journal_mode = wal";
