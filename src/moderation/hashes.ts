import { keyedHash } from "../platform/auth/keyed-hash.js";
import type { Secrets } from "../platform/auth/secrets.js";

/** What stands for reporters and messages in the table of reports: whoever reads it learns neither. */
export interface ReportHashes {
  /** Reads the hashes' key, so that no transaction has to wait for another connection to read it. */
  prepare(): Promise<void>;
  reporter(reporterId: string): Uint8Array;
  /** One message, known by sender and id, as one reporter reports it. */
  report(report: { reporterId: string; reported: string; messageId: string }): Uint8Array;
}

const secretName = "spam-reports";

export function createReportHashes(deps: { secrets: Pick<Secrets, "get"> }): ReportHashes {
  let secret: Uint8Array = new Uint8Array(0);
  return {
    async prepare() {
      secret = await deps.secrets.get(secretName);
    },
    reporter: (reporterId) => keyedHash(secret, "reporter", reporterId),
    report: ({ reporterId, reported, messageId }) => keyedHash(secret, "report", reporterId, reported, messageId),
  };
}
