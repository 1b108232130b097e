import type { IncomingMessage } from "node:http";
import type { MessagesService } from "../messages/service.js";
import type { Clock } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import type { StreamSettings } from "./config.js";

/** The device of a stream and its session, according to the token. Times are Unix seconds. */
export interface StreamPrincipal {
  readonly deviceId: string;
  readonly sessionId: string;
  readonly authTime: number;
  readonly expiresAt: number;
  /** The key that signed the token. */
  readonly keyId: string;
}

export type StreamConfig = StreamSettings & {
  readonly streamSafetyPollSeconds: number;
  readonly keyPackagesLowMark: number;
  readonly slowestBytesPerSecond: number;
  readonly ipv6SiteFactor: number;
};

export interface StreamDeps {
  readonly messages: Pick<
    MessagesService,
    "attach" | "detach" | "readAfter" | "acknowledge" | "countQueued" | "delivered" | "send"
  >;
  /** Checks a device access token; throws INVALID_TOKEN. */
  authenticate(token: string): Promise<StreamPrincipal>;
  /**
   * Whether the key and session of an earlier valid token are still valid. Uses copies that are at most a second old.
   */
  isStillValid(principal: StreamPrincipal): boolean;
  hasActiveAddress(deviceId: string): Promise<boolean>;
  /** The unit by which a client's network address is counted. */
  networkKey(request: IncomingMessage): string;
  /** The number of key packages that the server holds for the device. */
  keyPackagesRemaining?(deviceId: string): Promise<number>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly config: StreamConfig;
}
