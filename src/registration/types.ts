import type { Db } from "../database/db.js";
import type { StoragePreferences } from "../devices/service.js";
import type { DelayProof } from "../protocol/delay-proof.js";
import type { LimitObserver } from "../protocol/rate-limit.js";

/** The members that both announcement flows share, as they were sent, except that hexadecimal is decoded. */
export interface AnnouncementRequest {
  /** As sent, because the signed text contains it. */
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
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
  observer: LimitObserver;
}

/** An announcement for which the server chooses the address. */
export interface RegistrationRequest extends AnnouncementRequest {
  publicKey: Uint8Array;
}

/** An announcement of prefixes that the device chose. The prefixes are as sent. */
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
  /** In the order of the request, in their canonical spelling. */
  prefixes: string[];
}

/** A device that announces itself for the first time, with its proof, challenge or invite. */
export interface Candidate {
  publicKey: Uint8Array;
  ip: string;
  /** When the request arrived, in Unix seconds. Expiry is decided by this time, however long a proof takes to verify. */
  now: number;
  proof?: DelayProof | undefined;
  /** The 32 bytes of a challenge that is old enough to replace a proof. */
  challenge?: Uint8Array | undefined;
  inviteCode?: string | undefined;
  /** Aborted when the client disconnects, so that no more work is done for it. */
  gone?: AbortSignal | undefined;
  observer?: LimitObserver | undefined;
}

/** Permission to register, by proof, challenge, invite or open registration. It is used up in the transaction that registers the device. */
export interface RegistrationGrant {
  /** Uses it up. Throws if another request was faster. */
  use(db: Db): Promise<void>;
  /** True if a wrong signature or timestamp of the announcement also uses it up. */
  lostByBadSignature: boolean;
}
