import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db, Pipeline } from "../platform/database/connection.js";
import type { Random } from "../platform/random.js";
import type { Domain } from "../protocol/address.js";
import { type InFlight, type Room, withRoomAtOnce } from "./in-flight.js";
import { writeBody } from "./sending-body.js";
import type { StoredTransaction } from "./sending-store.js";
import type { SentItem } from "./sending-verdict.js";
import { type Chosen, type DepartingMessage, readAhead, readWaiting } from "./shipment-store.js";

/** A transaction as it is sent. Until it is answered or given up it takes room among what is on its way. */
export interface Parcel {
  transaction: StoredTransaction;
  items: SentItem[];
  body: Buffer;
  room: Room;
}

/** A transaction that was chosen just now, with room for its messages where they have been read. */
export interface Picked extends Chosen {
  room?: Room;
}

export interface ParcelNeeds {
  db: Knex;
  lanes: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid">;
  inFlight: InFlight;
  /** This server's name. */
  domain: Domain;
  limits: Pick<Config, "outboxTransactionMessages" | "outboxTransactionBytes">;
  /** Set once the node has given the turn up. */
  abandoned(): boolean;
}

/** Most bytes of messages that are read before it is known how many they are, or whether they will be sent next. */
export const mostBytesAhead = 1_048_576;

/** A parcel of what was picked, once there is room for it. Undefined where rows went away meanwhile. */
export async function fill(to: Domain, picked: Picked, needs: ParcelNeeds): Promise<Parcel | undefined> {
  const { id, at, positions, bytes } = picked;
  const transaction = { id, at, positions };
  const { messages: read, room: taken } = picked;
  if (read !== undefined && taken !== undefined) return pack(to, { transaction, messages: read, room: taken }, needs);
  const room = await needs.inFlight.room(bytes);
  let parcel: Parcel | undefined;
  try {
    if (needs.abandoned()) return undefined;
    const messages = await readWaiting(needs.db, { domain: to, positions, now: needs.clock.nowSeconds() });
    if (messages.length === positions.length) parcel = pack(to, { transaction, messages, room }, needs);
    return parcel;
  } finally {
    if (parcel === undefined) room.free();
  }
}

/**
 * Reads and encodes the transaction that would follow position `after`, if it is as full as one can be. Never throws:
 * what cannot be read ahead is read in its turn.
 */
export async function packAhead(to: Domain, after: number, needs: ParcelNeeds): Promise<Parcel | undefined> {
  const { outboxTransactionMessages: limit, outboxTransactionBytes: bytes } = needs.limits;
  const nowMillis = needs.clock.nowMillis();
  return withRoomAtOnce(needs.inFlight, mostBytesAhead, async (room) => {
    if (room === undefined) return { result: undefined, kept: 0 };
    const read = await readAhead(needs.lanes, { domain: to, nowMillis, after, limit, bytes, room: room.bytes() });
    if (read === undefined) return { result: undefined, kept: 0 };
    const positions = read.messages.map(({ position }) => position);
    const transaction = { id: needs.random.uuid(), at: Math.floor(nowMillis / 1000), positions };
    return { result: pack(to, { transaction, messages: read.messages, room }, needs), kept: read.bytes };
  }).catch(() => undefined);
}

function pack(
  to: Domain,
  contents: { transaction: StoredTransaction; messages: readonly DepartingMessage[]; room: Room },
  { domain: from }: Pick<ParcelNeeds, "domain">,
): Parcel {
  const { transaction, messages, room } = contents;
  const items = messages.map((row) => ({
    position: row.position,
    messageId: row.message_id,
    recipient: row.recipient,
    address: `${row.recipient}@${to}`,
  }));
  return { transaction, items, body: writeBody(from, to, { transaction, messages }), room };
}
