import type { Db } from "../platform/database/connection.js";
import type { DelayProof } from "../protocol/delay-proof.js";

/** A device that announces itself for the first time, with whatever it brings to be let in. */
export interface Candidate {
  publicKey: Uint8Array;
  ip: string;
  /** When the request arrived, Unix seconds; expiry is judged by it, however long a proof takes to check. */
  now: number;
  proof?: DelayProof | undefined;
  /** 32 bytes of a challenge that the applicant has waited with. */
  challenge?: Uint8Array | undefined;
  inviteCode?: string | undefined;
  /** Aborted when the client has gone: nothing more is to be computed for it. */
  gone?: AbortSignal | undefined;
}

/** What lets an applicant in. It is used up in the transaction that registers the device. */
export interface Admission {
  /** Uses it up; throws when another request was faster. */
  use(db: Db): Promise<void>;
  /** Whether it is used up too when the announcement's signature or timestamp turns out to be wrong. */
  lostByBadSignature: boolean;
}
