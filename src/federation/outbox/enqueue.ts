import type { Accepted, Forward, OutgoingMessage, Refused } from "../../messages/mailbox.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import { afterCommit, type Db } from "../../platform/database/connection.js";
import type { Domain } from "../../protocol/address.js";
import { daySeconds } from "../../protocol/units.js";
import type { SettingsService } from "../../settings/service.js";
import type { ServerStatuses } from "../policy/server-status.js";
import {
  addToDestinations,
  type DestinationAddition,
  type DestinationState,
  insertWaiting,
  readTotals,
  takeFromDestinations,
  type WaitingMessage,
} from "./store.js";

export type OutboxConfig = Pick<
  Config,
  | "outboxMessagesPerDestination"
  | "outboxBytesPerDestination"
  | "outboxUnreachedMessages"
  | "outboxUnreachedBytes"
  | "outboxTotalMessages"
  | "outboxTotalBytes"
>;

export interface OutboxIntakeDeps {
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  config: OutboxConfig;
  /** Whether this server can show itself to others. */
  isReady(): boolean;
  /** Called after the commit. */
  committed(domains: readonly string[]): void;
}

interface ByteReservation {
  messages: number;
  bytes: number;
}

/**
 * Takes messages into the outbox inside the transaction that accepts them: together with their hashes and the sender's
 * window they are stored or not. Counters are added to first, which locks the destinations and gives positions in the
 * order of commit; what does not fit is taken back.
 */
export function createOutboxIntake(deps: OutboxIntakeDeps): Forward {
  const totals = createTotals(deps);

  return async (trx, messages) => {
    if (!deps.isReady()) return messages.map(() => notReady);
    const outcomes: (Accepted | Refused | undefined)[] = messages.map(({ domain }) =>
      deps.statuses.admits(domain as Domain) ? undefined : notAdmitted,
    );
    const admitted = messages.map((message, i) => ({ message, i })).filter(({ i }) => outcomes[i] === undefined);
    if (admitted.length === 0) return outcomes.map((outcome) => outcome ?? notAdmitted);
    const nowMillis = deps.clock.nowMillis();
    const additions = addUp(admitted.map(({ message }) => message));
    const left = await totals.left(trx, nowMillis);
    const states = await addToDestinations(trx, { additions, nowMillis });
    const placing = createPlacing(states, { additions, left, config: deps.config });
    const expiresAt = expiry(deps, nowMillis);
    const stored: WaitingMessage[] = [];
    for (const { message, i } of admitted) {
      const position = placing.place(message);
      outcomes[i] = position === undefined ? full : federated;
      if (position !== undefined) stored.push(waiting(message, { position, expiresAt, nowMillis }));
    }
    const refused = admitted.filter(({ i }) => outcomes[i] === full).map(({ message }) => message);
    if (refused.length > 0) await takeFromDestinations(trx, addUp(refused));
    if (stored.length > 0) await insertWaiting(trx, stored);
    totals.add(addUpAll(stored));
    afterCommit(trx, () => deps.committed(additions.map(({ domain }) => domain)));
    return outcomes.map((outcome) => outcome ?? notAdmitted);
  };
}

function expiry({ settings }: OutboxIntakeDeps, nowMillis: number): number {
  return Math.floor(nowMillis / 1000) + settings.current().server.max_retention_days * daySeconds;
}

function addUp(messages: readonly OutgoingMessage[]): DestinationAddition[] {
  const additions = new Map<string, DestinationAddition>();
  for (const { domain, ciphertext } of messages) {
    const addition = additions.get(domain) ?? { domain, messages: 0, bytes: 0 };
    addition.messages += 1;
    addition.bytes += ciphertext.length;
    additions.set(domain, addition);
  }
  return [...additions.values()].sort((a, b) => (a.domain < b.domain ? -1 : 1));
}

function addUpAll(messages: readonly WaitingMessage[]): ByteReservation {
  return { messages: messages.length, bytes: messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0) };
}

/** Gives messages their places, in the order in which they come, as long as there is room. */
function createPlacing(
  states: readonly DestinationState[],
  held: { additions: readonly DestinationAddition[]; left: ByteReservation; config: OutboxConfig },
): { place(message: OutgoingMessage): number | undefined } {
  const added = new Map(held.additions.map((addition) => [addition.domain, addition]));
  const rooms = new Map(
    states.map((state) => {
      const { messages = 0, bytes = 0 } = added.get(state.domain) ?? {};
      const most = limitsFor(state, held.config);
      const room = { messages: most.messages - state.messages + messages, bytes: most.bytes - state.bytes + bytes };
      return [state.domain, { ...room, next: state.last_position - messages + 1 }];
    }),
  );

  return {
    place({ domain, ciphertext }) {
      const room = rooms.get(domain);
      if (room === undefined || !fits(room, ciphertext.length) || !fits(held.left, ciphertext.length)) return undefined;
      for (const one of [room, held.left]) {
        one.messages -= 1;
        one.bytes -= ciphertext.length;
      }
      room.next += 1;
      return room.next - 1;
    },
  };
}

function limitsFor(state: DestinationState, config: OutboxConfig): ByteReservation {
  return state.reached_at === null
    ? { messages: config.outboxUnreachedMessages, bytes: config.outboxUnreachedBytes }
    : { messages: config.outboxMessagesPerDestination, bytes: config.outboxBytesPerDestination };
}

function fits(room: ByteReservation, bytes: number): boolean {
  return room.messages >= 1 && room.bytes >= bytes;
}

const totalsAgeMillis = 1000;

/**
 * What the total limits leave. One row that every flush of every node had to lock would be the bottleneck of all of
 * them, so the sums are read once a second, and what this node adds meanwhile is added: the limit may be passed by what
 * the other nodes take in within a second.
 */
function createTotals({ config }: { config: OutboxConfig }) {
  let readAt = Number.NEGATIVE_INFINITY;
  let used: ByteReservation = { messages: 0, bytes: 0 };
  return {
    async left(trx: Db, nowMillis: number): Promise<ByteReservation> {
      if (Math.abs(nowMillis - readAt) > totalsAgeMillis) {
        used = await readTotals(trx);
        readAt = nowMillis;
      }
      return { messages: config.outboxTotalMessages - used.messages, bytes: config.outboxTotalBytes - used.bytes };
    },
    add(stored: ByteReservation): void {
      used = { messages: used.messages + stored.messages, bytes: used.bytes + stored.bytes };
    },
  };
}

function waiting(
  message: OutgoingMessage,
  at: { position: number; expiresAt: number; nowMillis: number },
): WaitingMessage {
  const { domain, messageId, recipient, ciphertext, senderSignature, systemEvent } = message;
  return {
    ...{ domain, messageId, recipient, ciphertext, senderSignature },
    position: at.position,
    sentAt: message.timestamp,
    systemEvent: systemEvent === null ? null : JSON.stringify(systemEvent),
    dedupTag: Buffer.from(message.dedupTag, "hex"),
    acceptedAt: Math.floor(at.nowMillis / 1000),
    expiresAt: at.expiresAt,
  };
}

const federated: Accepted = { status: "federated", estimate: "delayed" };
const notReady: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server has no certificate to show to other servers",
};
const notAdmitted: Refused = {
  error: "FEDERATION_FAILED",
  message: "this server exchanges no messages with the recipient's server",
};
const full: Refused = { error: "QUEUE_FULL", message: "too many messages are waiting for the recipient's server" };
