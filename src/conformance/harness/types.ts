import type { ServerFrame } from "../../../generated/frames.js";
import type { OperationId } from "../../../generated/handlers.js";
import type { AdminClient } from "../../client/admin.js";
import type { DeviceKeys } from "../../client/crypto/keys.js";
import type { DeviceClient } from "../../client/device/client.js";
import type { Random } from "../../platform/random.js";
import type { Answer, Sending, SuccessOf, Wire } from "./requests.js";

/** What a rule requires besides a server's address. Without it the rule is reported as not checked. */
export type Requirement =
  /** An administrator's key. */
  | "admin"
  /** The key of an administrator who lacks permissions. */
  | "viewer"
  /** The test profile: the rule uses up limits, changes the configuration, or bans the caller. */
  | "test profile"
  /** A certificate that the server accepts for another server's domain. */
  | "origin"
  /** The same, at an address where the server reaches the suite. */
  | "listening origin"
  /** A second relay that federates with the server. */
  | "peer"
  /** A way to advance the server's time. */
  | "time";

/** One rule of the contract. */
export interface Rule {
  /** `<subject>.<name>`; never changes between versions. */
  id: string;
  /** Where the rule comes from. */
  title: string;
  /** Where the rule is written. */
  source: string;
  requires?: readonly Requirement[];
  /** Throws a Broken if the rule does not hold, and a NotChecked if that could not be determined. */
  check(harness: Harness): Promise<void>;
}

/** The server under test, and the keys and programs that are available for testing it. */
export interface Target {
  /** Base addresses of its nodes, at least one. */
  urls: readonly string[];
  /** Its domain, if that is not the host of the first address. */
  domain?: string | undefined;
  adminKeys?: DeviceKeys | undefined;
  /** An administrator without the permission to change anything. */
  viewerKeys?: DeviceKeys | undefined;
  /** Runs rules that use up limits, change the configuration and ban the caller. */
  testProfile?: boolean | undefined;
  origin?: OriginCredential | undefined;
  /** A relay that the server federates with. */
  peer?: { url: string; domain?: string | undefined } | undefined;
  /** Advances the server's time. */
  passTime?: ((seconds: number) => Promise<void>) | undefined;
}

/**
 * What rules work with. It registers few devices, each when a rule first uses it, because a server lets a network address
 * register only a few.
 */
export interface Harness extends Pick<Wire, "call" | "ask"> {
  readonly wire: Wire;
  readonly target: Target;
  readonly domain: string;
  readonly random: Random;
  /** The server's time as far as it is known, in Unix seconds. */
  now(): Promise<number>;
  /** Sends messages in most rules. */
  alice(): Promise<Device>;
  /** Receives them. */
  bob(): Promise<Device>;
  /** For rules that use up limits. */
  carol(): Promise<Device>;
  /** A device at the peer. */
  dave(): Promise<Device>;
  /** For rules that end with its removal. Throws LimitReached if the server accepts no more new devices. */
  erin(): Promise<Device>;
  /** Calls as the administrator. */
  admin<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  /** Calls as the administrator who lacks permissions. */
  viewer<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  adminClient(): Promise<AdminClient>;
  viewerClient(): Promise<AdminClient>;
  /** A stream that has sent nothing. */
  stream(): Promise<Stream>;
  /** A stream of a device, past its first status frame. */
  deviceStream(device: Device): Promise<Stream>;
  passTime(seconds: number): Promise<void>;
  meets(requirement: Requirement): boolean;
  /** Called when the suite ends, the latest first. */
  onEnd(ending: () => Promise<void>): void;
  /** Closes everything that is open. */
  end(): Promise<void>;
}

/** Members of a message; all have defaults. */
interface Draft {
  messageId?: string;
  ciphertext?: Uint8Array;
  [member: string]: unknown;
}

/** A device of the suite at the server under test. */
export interface Device {
  readonly client: DeviceClient;
  readonly deviceId: string;
  readonly publicKey: string;
  sign(text: string): string;
  /** The address from the registration. */
  readonly address: string;
  token(): string;
  call<I extends OperationId>(operation: I, sending?: Sending): Promise<Answer<SuccessOf<I>>>;
  /** The body of a message to an address. */
  message(recipient: string, draft?: Draft): Record<string, unknown>;
  /** Sends a message, which must be accepted, and returns its id. Throws LimitReached if the device is rate-limited. */
  send(recipient: string, draft?: Draft): Promise<string>;
  /** Ids of everything in the queue. */
  queue(): Promise<string[]>;
  /** Acknowledges everything in the queue. */
  clear(): Promise<void>;
}

export type FrameOf<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

/** A client's end of a stream. Every received frame is checked against the contract. */
export interface Stream {
  send(frame: unknown): void;
  sendRaw(data: string | Buffer): void;
  /** The next unread frame of a type. Frames of other types before it are skipped. */
  next<T extends ServerFrame["type"]>(type: T, waitMillis?: number): Promise<FrameOf<T>>;
  /** Throws if an unread frame of the type has arrived or arrives within the time. */
  none(type: ServerFrame["type"], millis?: number): Promise<void>;
  /** Acknowledges and waits for the answer. */
  acknowledge(messageId: string): Promise<boolean>;
  /** Resolves with the code once the stream has ended; throws if it does not end. */
  closed(): Promise<number>;
  end(): Promise<void>;
}

/** The credentials with which the suite poses as another server. */
export interface OriginCredential {
  domain: string;
  /** The certificate chain, PEM. */
  cert: string;
  /** Its ECDSA P-256 key, PKCS #8 in PEM. */
  key: string;
  /** Where the suite listens as that server. */
  listen?: { host: string; port: number } | undefined;
}
