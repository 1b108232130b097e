import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import type { Db, Pipeline } from "../platform/database/connection.js";
import type { Domain } from "../protocol/address.js";
import { type InFlight, type Room, withRoomAtOnce } from "./in-flight.js";
import { writeBody } from "./sending-body.js";
import type { StoredTransaction } from "./sending-store.js";
import type { SentItem } from "./sending-verdict.js";
import { type Begun, type Chosen, type DepartingMessage, readWaiting } from "./shipment-store.js";

/** A transaction as it is sent. Until it is answered or given up it takes room among what is on its way. */
export interface Parcel {
  transaction: StoredTransaction;
  items: SentItem[];
  body: Buffer;
  room: Room;
  /** When all of its messages were there, in Unix milliseconds. */
  readAtMillis: number;
}

/** A transaction that was chosen just now, with room for its messages where they have been read. */
export interface Picked extends Chosen {
  room?: Room;
}

export interface ParcelNeeds {
  db: Knex;
  lanes: Db | Pipeline;
  clock: Clock;
  inFlight: InFlight;
  /** This server's name. */
  domain: Domain;
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

/** The parcel of what `begin` stores while another transaction is on its way; undefined where it stores none. */
export function packNext(
  to: Domain,
  begin: (room: Room | undefined) => Promise<Begun | undefined>,
  needs: ParcelNeeds,
): Promise<Parcel | undefined> {
  return withRoomAtOnce(needs.inFlight, mostBytesAhead, async (room) => {
    const begun = await begin(room);
    if (begun === undefined || room === undefined) return { result: undefined, kept: 0 };
    const { id, at, positions, messages, bytes } = begun;
    return { result: pack(to, { transaction: { id, at, positions }, messages, room }, needs), kept: bytes };
  });
}

/** The parcel of a transaction that was stored before; undefined where its messages are not all there. */
export function packStored(to: Domain, stored: StoredTransaction, needs: ParcelNeeds): Promise<Parcel | undefined> {
  return packNext(
    to,
    async (room) => {
      if (room === undefined) return undefined;
      const { positions } = stored;
      const messages = await readWaiting(needs.lanes, { domain: to, positions, now: needs.clock.nowSeconds() });
      // How many bytes they have is not asked for again: they had fewer when the transaction was stored.
      return messages.length === positions.length ? { ...stored, messages, bytes: room.bytes() } : undefined;
    },
    needs,
  );
}

function pack(
  to: Domain,
  contents: { transaction: StoredTransaction; messages: readonly DepartingMessage[]; room: Room },
  { domain: from, clock }: Pick<ParcelNeeds, "domain" | "clock">,
): Parcel {
  const { transaction, messages, room } = contents;
  const readAtMillis = clock.nowMillis();
  const items = messages.map((row) => ({
    position: row.position,
    messageId: row.message_id,
    recipient: row.recipient,
    address: `${row.recipient}@${to}`,
  }));
  return { transaction, items, body: writeBody(from, to, { transaction, messages }), room, readAtMillis };
}
