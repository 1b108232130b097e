import { readFile, statfs } from "node:fs/promises";
import path from "node:path";
import type { ServerConfig } from "../platform/config/server.js";
import type { DatabaseSettings } from "./config.js";

type DatabaseLocation = Pick<DatabaseSettings, "databaseUrl"> & Pick<ServerConfig, "dataDir">;

/** Lines of `postmaster.pid`, counted from 0. */
const portLine = 3;

/**
 * Free bytes on the disk of the embedded database; null for any other database, because PostgreSQL does not report free
 * disk space.
 */
export async function readDiskFree(location: DatabaseLocation): Promise<number | null> {
  const data = path.join(location.dataDir, "postgres/data");
  try {
    if (!(await isEmbedded(location, data))) return null;
    const { bavail, bsize } = await statfs(data);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** A worker gets the URL of the embedded database that another process started. */
async function isEmbedded({ databaseUrl }: DatabaseLocation, data: string): Promise<boolean> {
  if (databaseUrl === null) return true;
  const { hostname, port } = new URL(databaseUrl);
  if (hostname !== "127.0.0.1") return false;
  const lines = (await readFile(path.join(data, "postmaster.pid"), "utf8")).split("\n");
  return lines[portLine] === port;
}
