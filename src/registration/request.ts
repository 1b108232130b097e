import type { StoragePreferences } from "../devices/service.js";
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
