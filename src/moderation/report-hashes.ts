import { keyedHash } from "../auth/keyed-hash.js";
import type { Secrets } from "../auth/secrets.js";
import { encodeHex } from "../protocol/encodings.js";

const secretName = "spam-reports";

/** Keyed hashes of reporters and messages, so that the table of reports reveals neither. */
export type ReportHashes = ReturnType<typeof createReportHashes>;

export function createReportHashes(deps: { secrets: Pick<Secrets, "get"> }) {
  let secret: Uint8Array = new Uint8Array(0);
  return {
    /** Loads the key of the hashes, so that no transaction waits for a second connection to read it. */
    async prepare(): Promise<void> {
      secret = await deps.secrets.get(secretName);
    },
    reporter: (reporterId: string) => keyedHash(secret, "reporter", reporterId),
    /** The reporter as another relay knows it: reports to different relays cannot be connected. */
    pseudonym: (reporterId: string, host: string) => encodeHex(keyedHash(secret, "pseudonym", reporterId, host)),
    /** The relays of a registrable domain. */
    peer: (registrable: string) => keyedHash(secret, "peer", registrable),
    /** Identifies a report by its reporter, the reported device and the message. */
    report: ({ reporterId, reported, messageId }: { reporterId: string; reported: string; messageId: string }) =>
      keyedHash(secret, "report", reporterId, reported, messageId),
  };
}
