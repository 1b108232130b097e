import { hourSeconds } from "../../protocol/units.js";
import type { Caller } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import { AnswerError } from "../connection/failures.js";
import type { Session, SessionKeeper } from "../connection/session.js";
import {
  demandFunction,
  demandNumber,
  demandOneOf,
  demandOptions,
  demandSeconds,
  ifGiven,
} from "../runtime/arguments.js";
import { callBack } from "../runtime/callbacks.js";
import type { Acknowledger } from "./acknowledger.js";
import { type Backoff, createBackoff } from "./backoff.js";
import type { ReportedQueue } from "./device-queue.js";
import { demandHandling, type Handler, type Inbox, type MessageHandling } from "./inbox.js";
import type { StreamSends } from "./stream-sends.js";
import { createWakes, type Wakes } from "./wakes.js";

export type ReceivingStatus =
  /** The stream is open. */
  | { state: "streaming" }
  /**
   * The messages that were queued have been delivered and acknowledged; reported once per stream, not after each later
   * message.
   */
  | { state: "empty" }
  /** The stream ended with this close code or could not be opened. The next attempt follows after this time at the latest. */
  | { state: "reconnecting"; afterMillis: number; code: number; reason: string }
  /** The queue was polled. The next poll follows after this time at the latest. */
  | { state: "polling"; afterMillis: number };

/** What its functions throw or reject with goes to `onProblem`, and ends nothing. */
export interface ReceivingOptions extends MessageHandling {
  /** Failures that do not end receiving: of `handle`, of a poll, of an address renewal. */
  onProblem?: ((problem: unknown) => unknown) | undefined;
  onStatus?: ((status: ReceivingStatus) => unknown) | undefined;
  /** How many key packages the relay has for the device, whenever the relay reports it. */
  onKeyPackagesRemaining?: ((remaining: number) => unknown) | undefined;
  /** `poll` never opens a stream. */
  transport?: "stream" | "poll" | undefined;
  /** Interval at which addresses are announced again. Default 12 hours; 0 for never. */
  renewAddressesAfterSeconds?: number | undefined;
  pingSeconds?: number | undefined;
  /** How many messages the relay may push ahead of their acknowledgements, 1 to 1,000. Default 10. */
  window?: number | undefined;
}

export type ReceivingEnd =
  | { reason: "stopped" }
  /** Another client of the same device replaced this one. */
  | { reason: "replaced" }
  /** The relay refuses this device. */
  | { reason: "refused"; cause: unknown };

export interface Receiving {
  /** Fulfilled when no message is in `handle` any more. Never rejects. */
  readonly ended: Promise<ReceivingEnd>;
  /**
   * Tries at once instead of waiting, and checks whether an open stream is still alive. Call it when the network or the
   * application comes back. In browsers this happens automatically.
   */
  reconnectNow(): void;
  /**
   * Stops: no message is passed to `handle` any more. Fulfilled when the current message is handled and acknowledged, but after five
   * seconds at the latest, so that `handle` may wait for it. Then only `ended` says when the current message is.
   */
  stop(): Promise<void>;
}

export interface ReceivingDeps {
  connection: Connection;
  keeper: SessionKeeper<Session>;
  caller: Caller;
  renewAddresses(): Promise<unknown>;
  /** Gets every stream that is opened. */
  sends: StreamSends;
  queue: ReportedQueue;
  inbox: Inbox;
  acknowledger: Acknowledger;
}

const usualPollSeconds = 30;
const usualAddressRenewalSeconds = 12 * hourSeconds;
const addressRenewalPauseSeconds = 1_200;

/** More pings than this would be a burden for the relay. */
const leastPingSeconds = 0.01;

/** The state shared by the stream and the polls of one run. */
export interface Receiver extends ReceivingDeps {
  options: ReceivingOptions;
  signal: AbortSignal;
  handler: Handler;
  problem(this: void, problem: unknown): void;
  tell(this: void, status: ReceivingStatus): void;
  tellKeyPackages(this: void, remaining: number): void;
  backoff: Backoff;
  /** How many streams in a row have ended because nothing arrived. */
  silentStreams: number;
  wakes: Wakes;
  /** As the relay last requested. */
  pollSeconds: number;
  /** When polls last emptied the queue, by this device's clock. */
  polledAtMillis: number;
  renewalNotBefore: number;
  keyPackagesAskedAt: number;
}

export function createReceiver(deps: ReceivingDeps, options: ReceivingOptions, signal: AbortSignal): Receiver {
  demandReceivingOptions(options);
  const { runtime } = deps.connection;
  const problem = (what: unknown) => callBack(options.onProblem, [what]);
  return {
    ...deps,
    options,
    signal,
    // Options may be an object whose functions are inherited.
    handler: Object.assign(Object.create(options) as ReceivingOptions, { problem, signal }),
    problem,
    tell: (status) => callBack(options.onStatus, [status], problem),
    tellKeyPackages: (remaining) => callBack(options.onKeyPackagesRemaining, [remaining], problem),
    backoff: createBackoff(runtime),
    silentStreams: 0,
    wakes: createWakes(runtime, signal),
    pollSeconds: usualPollSeconds,
    polledAtMillis: Number.NEGATIVE_INFINITY,
    renewalNotBefore: 0,
    keyPackagesAskedAt: 0,
  };
}

function demandReceivingOptions(options: ReceivingOptions): void {
  demandOptions(options, "options");
  demandHandling(options);
  for (const name of ["onProblem", "onStatus", "onKeyPackagesRemaining"] as const) {
    ifGiven(options[name], (listener) => demandFunction(listener, name));
  }
  ifGiven(options.transport, (transport) => demandOneOf(transport, "transport", ["stream", "poll"]));
  ifGiven(options.renewAddressesAfterSeconds, (seconds) => demandSeconds(seconds, "renewAddressesAfterSeconds"));
  ifGiven(options.pingSeconds, (seconds) => demandSeconds(seconds, "pingSeconds", leastPingSeconds));
  ifGiven(options.window, (window) => demandNumber(window, "window", [1, 1_000]));
}

/** Whether a retry is useless: the relay refused, and not because of load or limits. */
export function isRefusal(problem: unknown): boolean {
  return problem instanceof AnswerError && problem.status < 500 && ![408, 429].includes(problem.status);
}

/** A wait that an answer asks for, within what is sensible: nothing can ask a device to stay away for days, or not to wait. */
export function sensibleSeconds(requested: number): number {
  return Math.min(Math.max(requested, 1), hourSeconds);
}

/** Addresses expire after about a day, so they are announced again well before that. */
export async function renewAddressesWhenDue(receiver: Receiver): Promise<void> {
  const { connection, keeper, options } = receiver;
  const after = options.renewAddressesAfterSeconds ?? usualAddressRenewalSeconds;
  const now = connection.clock.nowSeconds();
  const announcedAt = keeper.current()?.announcedAt ?? now;
  if (after === 0 || now < announcedAt + after || now < receiver.renewalNotBefore) return;
  receiver.renewalNotBefore = now + addressRenewalPauseSeconds;
  await receiver.renewAddresses().catch(receiver.problem);
}
