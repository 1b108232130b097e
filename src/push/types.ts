/** The least urgent pushes that a device wants: `high` for messages only, `low` for few key packages as well. */
export type PushUrgency = "high" | "low";

/** Where and how a device can be reached. Only its own memory and the push service have the same. */
export interface PushTarget {
  endpoint: string;
  /** The device's public key, 65 bytes in base64url. */
  p256dh: string;
  /** 16 bytes in base64url. */
  auth: string;
}

/** What the relay says of a subscription. Times are Unix seconds. */
export interface PushSubscription {
  /** SHA-256, in hex. */
  endpointHash: string;
  confirmed: boolean;
  keyId: string;
  urgency: PushUrgency;
  createdAt: number;
  expiresAt: number | null;
  lastPushAt: number | null;
}

/** What a device learns of the answer of its push service. */
export interface PushAnswer {
  statusClass: "2xx" | "3xx" | "4xx" | "5xx" | null;
  retryAfterSeconds: number | null;
}
