import { hourSeconds } from "../protocol/units.js";
import { type Acknowledger, createAcknowledger } from "./acknowledger.js";
import { demandDuration, demandFunction, demandOneOf, demandOptions, ifGiven } from "./arguments.js";
import { type Backoff, createBackoff } from "./backoff.js";
import type { Caller } from "./calls.js";
import type { Connection } from "./connection.js";
import { AnswerError } from "./failures.js";
import { createInbox, type Inbox, type InboxDeps } from "./inbox.js";
import type { Session, SessionKeeper } from "./session.js";
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

export interface ReceivingOptions {
  /** Called with one message at a time. The message is acknowledged once this resolves, so store it first. */
  handle: InboxDeps["handle"];
  /** Failures that do not end receiving: of `handle`, of a poll, of an address renewal. */
  onProblem?: ((problem: unknown) => void) | undefined;
  onStatus?: ((status: ReceivingStatus) => void) | undefined;
  /** How many key packages the relay has for the device, whenever the relay reports it. */
  onKeyPackagesRemaining?: ((remaining: number) => void) | undefined;
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
  /** Never rejects. */
  readonly ended: Promise<ReceivingEnd>;
  /**
   * Tries at once instead of waiting, and checks whether an open stream is still alive. Call it when the network or the
   * application comes back. In browsers this happens automatically.
   */
  reconnectNow(): void;
  /** Stops. Resolves when the current message is handled and acknowledged. */
  stop(): Promise<void>;
}

export interface ReceivingDeps {
  connection: Connection;
  keeper: SessionKeeper<Session>;
  caller: Caller;
  renewAddresses(): Promise<unknown>;
  /** Gets every stream that is opened. */
  sends: StreamSends;
}

const usualPollSeconds = 30;
const usualAddressRenewalSeconds = 12 * hourSeconds;
const addressRenewalPauseSeconds = 1_200;

/** The state shared by the stream and the polls of one run. */
export interface Receiver extends ReceivingDeps {
  options: ReceivingOptions;
  signal: AbortSignal;
  inbox: Inbox;
  acknowledger: Acknowledger;
  problem(this: void, problem: unknown): void;
  backoff: Backoff;
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
  const acknowledger = createAcknowledger(deps.caller);
  const problem = (what: unknown) => options.onProblem?.(what);
  const { handle } = options;
  const inbox = createInbox({ handle, done: acknowledger.done, onProblem: problem, runtime, signal });
  return {
    ...deps,
    options,
    signal,
    inbox,
    acknowledger,
    problem,
    backoff: createBackoff(runtime),
    wakes: createWakes(runtime, signal),
    pollSeconds: usualPollSeconds,
    polledAtMillis: Number.NEGATIVE_INFINITY,
    renewalNotBefore: 0,
    keyPackagesAskedAt: 0,
  };
}

function demandReceivingOptions(options: ReceivingOptions): void {
  demandOptions(options, "options");
  demandFunction(options.handle, "handle");
  for (const name of ["onProblem", "onStatus", "onKeyPackagesRemaining"] as const) {
    ifGiven(options[name], (listener) => demandFunction(listener, name));
  }
  ifGiven(options.transport, (transport) => demandOneOf(transport, "transport", ["stream", "poll"]));
  for (const name of ["renewAddressesAfterSeconds", "pingSeconds"] as const) {
    ifGiven(options[name], (seconds) => demandDuration(seconds, name));
  }
}

/** Whether a retry is useless: the relay refused, and not because of load or limits. */
export function isRefusal(problem: unknown): boolean {
  return problem instanceof AnswerError && problem.status < 500 && problem.status !== 429;
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
