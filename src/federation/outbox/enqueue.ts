import type { Executor } from "../../database/db.js";
import { byStatement } from "../../database/pipeline/joined-bytes.js";
import { together } from "../../database/pipeline/pipelines.js";
import type {
  Accepted,
  Forward,
  Forwarded,
  MessageToMany,
  OutgoingMessage,
  Refused,
} from "../../messages/model/types.js";
import type { Clock } from "../../node/clock.js";
import type { Domain } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import type { ServerStatuses } from "../peers/server-status.js";
import type { OutboxSettings } from "./config.js";
import { expiryOf } from "./retention.js";
import {
  addToDestinations,
  type DestinationAddition,
  type DestinationState,
  insertWaiting,
  readTotals,
  takeFromDestinations,
  type WaitingMessage,
} from "./store.js";

interface EnqueueDeps {
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  config: OutboxSettings;
  /** Whether this server has a certificate to authenticate with. */
  isReady(): boolean;
  /** Called after the commit. */
  committed(domains: readonly string[]): void;
}

/** A number of messages and the sum of their ciphertexts' bytes. */
interface Volume {
  messages: number;
  bytes: number;
}

/**
 * Stores messages in the outbox inside the transaction that accepts them, so they commit together with their hashes and
 * the sender's rate-limit window. The destinations' counters are raised first, which locks the destinations and yields
 * positions in the order of commit. The counts of messages that do not fit are subtracted again. If one of an
 * all-or-nothing message does not fit, none of that message is stored.
 */
export function createEnqueue(deps: EnqueueDeps): Forward {
  const totals = createTotals(deps);
  const committedFirsts: FirstPositions = new WeakMap();

  return async (db, messages) => {
    if (!deps.isReady()) return refused(messages.map(() => notReady));
    const outcomes: (Accepted | Refused | undefined)[] = messages.map(({ domain }) =>
      deps.statuses.admits(domain as Domain) ? undefined : notAdmitted,
    );
    const admitted = messages.map((message, i) => ({ message, i })).filter(({ i }) => outcomes[i] === undefined);
    if (admitted.length === 0) return refused(outcomes.map((outcome) => outcome ?? notAdmitted));
    const nowMillis = deps.clock.nowMillis();
    const additions = addUp(admitted.map(({ message }) => message));
    // The sums are read first, as they do not hold what is added here.
    const [left, states] = await together([
      totals.left(db, nowMillis),
      addToDestinations(db, { additions, nowMillis }),
    ]);
    const allocation = createAllocation(states, { additions, left, config: deps.config });
    const maxRetentionDays = deps.settings.current().server.max_retention_days;
    const stored: WaitingMessage[] = [];
    const firsts = findFirstPositions(committedFirsts);
    for (const part of inParts(admitted)) {
      const positions = allocation.allocate(part.map(({ message }) => message));
      for (const [at, { message, i }] of part.entries()) {
        const { position, outcome } = positions[at] as Allocated;
        outcomes[i] = outcome;
        if (position === undefined) continue;
        const sharedPosition = firsts.before(message, position);
        const expiresAt = expiryOf(message, { nowMillis, maxRetentionDays });
        stored.push(waiting(message, { position, sharedPosition, expiresAt, nowMillis }));
      }
    }
    const unfit = admitted.filter(({ i }) => outcomes[i] !== federated).map(({ message }) => message);
    totals.add(addUpAll(stored));
    return {
      outcomes: outcomes.map((outcome) => outcome ?? notAdmitted),
      statements: [
        ...(unfit.length > 0 ? [() => takeFromDestinations(db, addUp(unfit))] : []),
        ...byStatement(stored).map((part) => () => insertWaiting(db, part)),
      ],
      committed() {
        firsts.committed();
        deps.committed(additions.map(({ domain }) => domain));
      },
    };
  };
}

/** Where no message is accepted. */
function refused(outcomes: Forwarded["outcomes"]): Forwarded {
  return { outcomes, statements: [], committed: () => undefined };
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

function addUpAll(messages: readonly WaitingMessage[]): Volume {
  return { messages: messages.length, bytes: messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0) };
}

/** Each message by itself, and the messages of an all-or-nothing one together. */
function inParts<T extends { message: OutgoingMessage }>(admitted: readonly T[]): T[][] {
  const parts: T[][] = [];
  let last: OutgoingMessage["toMany"];
  for (const one of admitted) {
    const { toMany } = one.message;
    if (toMany?.allOrNothing && toMany === last) parts.at(-1)?.push(one);
    else parts.push([one]);
    last = toMany;
  }
  return parts;
}

/** The first position of each message to many with one ciphertext at its destinations, as far as it has been committed. */
type FirstPositions = WeakMap<MessageToMany, ReadonlyMap<string, number>>;

/** Finds the first position of each message to many at a destination, also if an earlier transaction stored that one. */
function findFirstPositions(committed: FirstPositions) {
  const found = new Map<MessageToMany, Map<string, number>>();
  return {
    before({ toMany, domain }: OutgoingMessage, position: number): number | null {
      if (toMany === undefined || toMany.copies !== undefined) return null;
      const positions = found.get(toMany) ?? new Map(committed.get(toMany));
      found.set(toMany, positions);
      const first = positions.get(domain);
      if (first === undefined) positions.set(domain, position);
      return first ?? null;
    },
    committed(): void {
      for (const [toMany, positions] of found) committed.set(toMany, positions);
    },
  };
}

interface Allocated {
  /** Undefined if it was refused. */
  position: number | undefined;
  outcome: Accepted | Refused;
}

/** Assigns positions to messages in the order in which they come, to all of a call or none, as long as there is room. */
function createAllocation(
  states: readonly DestinationState[],
  held: { additions: readonly DestinationAddition[]; left: Volume; config: OutboxSettings },
): { allocate(messages: readonly OutgoingMessage[]): Allocated[] } {
  const added = new Map(held.additions.map((addition) => [addition.domain, addition]));
  const rooms = new Map(
    states.map((state) => {
      const { messages = 0, bytes = 0 } = added.get(state.domain) ?? {};
      const max = limitsFor(state, held.config);
      const room = { messages: max.messages - state.messages + messages, bytes: max.bytes - state.bytes + bytes };
      return [state.domain, { ...room, next: state.last_position - messages + 1 }];
    }),
  );

  const allocateOne = ({ domain, ciphertext }: OutgoingMessage): number | undefined => {
    const room = rooms.get(domain);
    if (room === undefined || !fits(room, ciphertext.length) || !fits(held.left, ciphertext.length)) return undefined;
    for (const one of [room, held.left]) {
      one.messages -= 1;
      one.bytes -= ciphertext.length;
    }
    room.next += 1;
    return room.next - 1;
  };

  return {
    allocate(messages) {
      const before =
        messages.length === 1 ? [] : [held.left, ...rooms.values()].map((room) => ({ room, was: { ...room } }));
      const positions = messages.map(allocateOne);
      if (!positions.includes(undefined)) return positions.map((position) => ({ position, outcome: federated }));
      for (const { room, was } of before) Object.assign(room, was);
      return positions.map((position) => ({
        position: undefined,
        outcome: position === undefined ? full : { ...full, withOthers: true },
      }));
    },
  };
}

function limitsFor(state: DestinationState, config: OutboxSettings): Volume {
  return state.reached_at === null
    ? { messages: config.outboxUnreachedMessages, bytes: config.outboxUnreachedBytes }
    : { messages: config.outboxMessagesPerDestination, bytes: config.outboxBytesPerDestination };
}

function fits(room: Volume, bytes: number): boolean {
  return room.messages >= 1 && room.bytes >= bytes;
}

const totalsMaxAgeMillis = 1000;

/**
 * The room that the limits over all destinations leave. A single row that every flush of every node had to lock would be
 * their bottleneck. Instead, the sums are read once a second, and the messages this node adds meanwhile are counted on
 * top. The limit can be exceeded by the messages that other nodes accept within a second.
 */
function createTotals({ config }: { config: OutboxSettings }) {
  let readAt = Number.NEGATIVE_INFINITY;
  let used: Volume = { messages: 0, bytes: 0 };
  return {
    async left(db: Executor, nowMillis: number): Promise<Volume> {
      if (Math.abs(nowMillis - readAt) > totalsMaxAgeMillis) {
        used = await readTotals(db);
        readAt = nowMillis;
      }
      return { messages: config.outboxTotalMessages - used.messages, bytes: config.outboxTotalBytes - used.bytes };
    },
    add(stored: Volume): void {
      used = { messages: used.messages + stored.messages, bytes: used.bytes + stored.bytes };
    },
  };
}

function waiting(
  message: OutgoingMessage,
  at: { position: number; sharedPosition: number | null; expiresAt: number; nowMillis: number },
): WaitingMessage {
  const { domain, messageId, recipient, ciphertext, senderSignature, systemEvent } = message;
  return {
    domain,
    messageId,
    recipient,
    ciphertext,
    senderSignature,
    position: at.position,
    sharedPosition: at.sharedPosition,
    sentAt: message.timestamp,
    systemEvent: systemEvent === null ? null : JSON.stringify(systemEvent),
    dedupTag: Buffer.from(message.dedupTag, "hex"),
    acceptedAt: Math.floor(at.nowMillis / 1000),
    expiresAt: at.expiresAt,
    hasLifetime: message.lifetimeSeconds !== undefined,
  };
}

const federated: Accepted = { status: "federated", estimate: "delayed" };
const notReady: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server has no certificate for federation",
};
const notAdmitted: Refused = {
  error: "FEDERATION_FAILED",
  message: "this server exchanges no messages with the recipient's server",
};
const full: Refused = { error: "QUEUE_FULL", message: "too many messages are waiting for the recipient's server" };
