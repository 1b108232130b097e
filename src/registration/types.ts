import type { StoragePreferences } from "../devices/service.js";
import type { Db } from "../platform/database/connection.js";
import type { DelayProof } from "../protocol/delay-proof.js";

/** What both flows of announcing have in common, as it was sent but for hexadecimal, which is decoded. */
export interface AnnouncementRequest {
  /** As sent: the signed text repeats it. */
  deviceId: string;
  signature: string;
  timestamp: number;
  audience: string | undefined;
  ip: string;
  proof: DelayProof | undefined;
  challenge: Uint8Array | undefined;
  inviteCode: string | undefined;
  revokeOthers: boolean;
  preferences: StoragePreferences | undefined;
  /** Aborted when the client has gone. */
  gone: AbortSignal;
}

/** An announcement for which the server makes the address. */
export interface RegistrationRequest extends AnnouncementRequest {
  publicKey: Uint8Array;
}

/** An announcement of prefixes of the device's choosing, as sent. */
export interface PrefixRequest extends AnnouncementRequest {
  publicKey: Uint8Array | undefined;
  prefixes: readonly string[];
}

/** Times are Unix seconds. */
export interface Session {
  accessToken: string;
  expiresAt: number;
}

export interface RegistrationResult extends Session {
  prefix: string;
  createdAt: number;
}

export interface PrefixResult extends Session {
  /** In the order of the request, as they are given out. */
  prefixes: string[];
}

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
