import { encodeArchive } from "./archive.js";
import { writeDurably } from "./durable-file.js";
import { pack } from "./encryption.js";
import { type TakingOptions, takeSnapshot } from "./taking.js";

/** Writes a backup of the database into a new file, while relays run on it. Returns the file's size. */
export function writeArchive(
  file: string,
  options: TakingOptions & { recipients: readonly string[] },
): Promise<number> {
  return writeDurably(file, pack(encodeArchive(takeSnapshot(options)), options.recipients));
}
