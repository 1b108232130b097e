import pg from "pg";
import type { Logger } from "../../platform/logger.js";
import { type Ask, createReconnectingConnection, type ReconnectingConnection } from "./reconnecting-connection.js";

/** Called with the payload, or with "" if notifications may have been missed. */
type Listener = (payload: string) => void;

/** Hints between nodes. They may be lost, so a listener that needs certainty must also poll. */
export type Notifications = ReturnType<typeof createNotifications>;

interface Hint {
  channel: string;
  payload: string;
}

const payloadLimitBytes = 7000;
const pendingLimit = 10_000;

/**
 * LISTEN and NOTIFY over one connection outside the pool.
 *
 * Sending: a transaction with a NOTIFY takes a lock that serialises all commits, so hints are never sent in a transaction
 * that stores something. They are collected here, without duplicates, while the previous batch is being sent, and leave
 * together. Beyond 10,000 pending hints, those of each channel are replaced by one empty hint.
 *
 * Receiving: a new connection listens on every channel, then each listener is called with "". UNLISTEN is never sent,
 * because it would race with that.
 */
export function createNotifications(deps: { url: string; logger: Logger }) {
  const { logger } = deps;
  const channels = createChannels(logger);
  const connection = createReconnectingConnection({
    ...deps,
    async prepare(ask) {
      heard = channels.names();
      for (const channel of heard) await ask(listenStatement(channel));
    },
    opened() {
      for (const channel of channels.names()) {
        if (heard.includes(channel)) channels.call(channel, "");
        else listenLate(channel);
      }
      outbox.send();
    },
    notified: channels.call,
  });
  const outbox = createOutbox(connection, logger);
  let heard: readonly string[] = [];

  // This fails while the connection is down; the next connection listens on all channels, including this one.
  function listenLate(channel: string): void {
    connection.ask(listenStatement(channel)).then(
      () => channels.call(channel, ""),
      (error: unknown) => logger.debug({ err: error, channel }, "a channel cannot be listened on yet"),
    );
  }

  return {
    start: (): Promise<void> => connection.start(),
    /** Sends pending notifications, then closes the connection. */
    async stop(): Promise<void> {
      await outbox.idle();
      await connection.stop();
    },
    /** Notifies every listener of the channel on every node, including this one. At most 7000 bytes; never waits. */
    notify(channel: string, payload: string): void {
      if (Buffer.byteLength(payload) > payloadLimitBytes) throw new RangeError("a notification is at most 7000 bytes");
      outbox.put({ channel, payload });
    },
    /** Listens on a channel, after `start` or at once; the returned function removes the listener. */
    listen(channel: string, listener: Listener): () => void {
      if (channels.add(channel, listener)) listenLate(channel);
      return () => channels.remove(channel, listener);
    },
  };
}

function createChannels(logger: Logger) {
  const listeners = new Map<string, Set<Listener>>();
  return {
    names: () => [...listeners.keys()],
    /** Whether this is the channel's first listener ever. */
    add(channel: string, listener: Listener): boolean {
      const present = listeners.get(channel);
      listeners.set(channel, (present ?? new Set()).add(listener));
      return present === undefined;
    },
    remove: (channel: string, listener: Listener) => void listeners.get(channel)?.delete(listener),
    call(channel: string, payload: string): void {
      for (const listener of listeners.get(channel) ?? []) {
        try {
          listener(payload);
        } catch (error) {
          logger.error({ err: error, channel }, "a listener failed");
        }
      }
    },
  };
}

function createOutbox(connection: Pick<ReconnectingConnection, "ask">, logger: Logger) {
  const waiting = new Map<string, Hint>();
  let sending: Promise<void> | undefined;

  function send(): void {
    if (sending || waiting.size === 0) return;
    const hints = [...waiting.values()];
    waiting.clear();
    sending = sendAll(connection.ask, hints)
      .catch((error: unknown) => {
        logger.debug({ err: error, hints: hints.length }, "notifications were not sent");
      })
      .finally(() => {
        sending = undefined;
        send();
      });
  }

  return {
    send,
    put(hint: Hint): void {
      if (waiting.size >= pendingLimit) coarsen(waiting);
      waiting.set(`${hint.channel}\n${hint.payload}`, hint);
      send();
    },
    async idle(): Promise<void> {
      while (sending) await sending;
    },
  };
}

function coarsen(waiting: Map<string, Hint>): void {
  const channels = new Set([...waiting.values()].map((hint) => hint.channel));
  waiting.clear();
  for (const channel of channels) waiting.set(`${channel}\n`, { channel, payload: "" });
}

async function sendAll(ask: Ask, hints: readonly Hint[]): Promise<void> {
  await ask("select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as hint (channel, payload)", [
    hints.map((hint) => hint.channel),
    hints.map((hint) => hint.payload),
  ]);
}

function listenStatement(channel: string): string {
  return `listen ${pg.escapeIdentifier(channel)}`;
}
