import { open, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { mebibyte } from "../protocol/units.js";

/** An address that a name resolves to. */
export interface HostAddress {
  address: string;
  /** 4 or 6. */
  family: number;
}

/** Names that the machine resolves without DNS. */
export type HostsFile = ReturnType<typeof createHostsFile>;

const systemFile = "/etc/hosts";
const checkEveryMillis = 5_000;
const maxBytes = mebibyte;

/** RFC 6761, section 6.3: these names are always loopback, and DNS is never asked for them. */
const loopback: readonly HostAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

type Entries = ReadonlyMap<string, readonly HostAddress[]>;

/** Checks the file at most every five seconds and reads it when it has changed. A missing file has no entries. */
export function createHostsFile(path = systemFile) {
  let entries: Entries = new Map();
  let state = "";
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const found = `${mtimeMs}/${size}/${ino}`;
      if (found !== state) entries = parseHosts(await readStart(path));
      state = found;
    } catch {
      [entries, state] = [new Map(), ""];
    }
    checkedAt = performance.now();
  };

  return {
    /** Empty for a name that is not in the file. */
    async addressesOf(host: string): Promise<readonly HostAddress[]> {
      if (performance.now() - checkedAt > checkEveryMillis) {
        checking ??= check().finally(() => {
          checking = undefined;
        });
        await checking;
      }
      const found = entries.get(host);
      if (found !== undefined) return found;
      return host === "localhost" || host.endsWith(".localhost") ? loopback : [];
    },
  };
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** `127.0.0.1  localhost localhost.localdomain  # comment`; a name may occur in several lines. */
function parseHosts(text: string): Entries {
  const entries = new Map<string, HostAddress[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      const known = entries.get(name) ?? [];
      if (!known.some((one) => one.address === address)) entries.set(name, [...known, { address, family }]);
    }
  }
  return entries;
}
