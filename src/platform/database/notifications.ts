import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../logger.js";
import { closeConnection, connectionSettings } from "./connection.js";

/** Called with the payload, or with "" where something may have been missed. */
export type Listener = (payload: string) => void;

/** Hints between nodes. They may be lost: whoever needs certainty also looks from time to time. */
export interface Notifications {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Tells every listener of the channel on every node, this one included. At most 7000 bytes; never waits. */
  notify(channel: string, payload: string): void;
  /** Listens on a channel; the function returned ends that. */
  listen(channel: string, listener: Listener): () => void;
}

interface Hint {
  channel: string;
  payload: string;
}

const payloadLimitBytes = 7000;
const pendingLimit = 10_000;
const checkEveryMillis = 10_000;
const answerTimeoutMillis = 5_000;
const firstRetryMillis = 100;
const longestRetryMillis = 5_000;

/**
 * LISTEN and NOTIFY over one connection outside the pool.
 *
 * Sending: a pending NOTIFY makes PostgreSQL take one lock for all commits, so hints are never sent in a transaction
 * that stores something. They gather here, each only once, for as long as the last sending takes, and leave together.
 * Past 10,000 waiting ones those of a channel are replaced by one empty hint.
 *
 * Receiving: a connection once lost is replaced by a new one that listens on every channel before each listener is
 * called with "". Nothing is ever unlistened, which would race with that. The connection is asked every ten seconds
 * whether it still answers: a cut one may look alive for hours.
 */
export function createNotifications(needs: { url: string; logger: Logger }): Notifications {
  const { url, logger } = needs;
  const listeners = new Map<string, Set<Listener>>();
  const pending = new Map<string, Hint>();
  const stopping = new AbortController();
  let client: pg.Client | undefined;
  let sending: Promise<void> | undefined;
  let keeping: Promise<void> = Promise.resolve();

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ ...connectionSettings(url), query_timeout: answerTimeoutMillis });
    fresh.on("error", () => undefined);
    fresh.on("notification", ({ channel, payload }) => call(channel, payload ?? ""));
    try {
      await fresh.connect();
      for (const channel of listeners.keys()) await listenOn(fresh, channel);
    } catch (error) {
      await closeConnection(fresh);
      throw error;
    }
    return fresh;
  }

  function use(fresh: pg.Client): void {
    client = fresh;
    for (const channel of listeners.keys()) call(channel, "");
    send();
  }

  function call(channel: string, payload: string): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        logger.error({ err: error, channel }, "a listener failed");
      }
    }
  }

  async function keepUp(): Promise<void> {
    let wait = firstRetryMillis;
    while (!stopping.signal.aborted) {
      try {
        if (!client) use(await connect());
        wait = firstRetryMillis;
        await untilBroken(client as pg.Client, stopping.signal);
      } catch (error) {
        if (wait === firstRetryMillis) logger.warn({ err: error }, "the connection for notifications is down");
        await pause(wait, stopping.signal);
        wait = Math.min(wait * 2, longestRetryMillis);
      }
      await drop();
    }
  }

  async function drop(): Promise<void> {
    const old = client;
    client = undefined;
    if (old) await closeConnection(old);
  }

  function send(): void {
    if (sending || !client || pending.size === 0) return;
    const hints = [...pending.values()];
    pending.clear();
    sending = sendAll(client, hints)
      .catch((error: unknown) => {
        logger.debug({ err: error, hints: hints.length }, "notifications were not sent");
      })
      .finally(() => {
        sending = undefined;
        send();
      });
  }

  return {
    async start() {
      use(await connect());
      keeping = keepUp();
    },
    async stop() {
      while (sending) await sending;
      stopping.abort();
      await keeping;
    },
    notify(channel, payload) {
      if (Buffer.byteLength(payload) > payloadLimitBytes) throw new RangeError("a notification is at most 7000 bytes");
      if (pending.size >= pendingLimit) coarsen(pending);
      pending.set(`${channel}\n${payload}`, { channel, payload });
      send();
    },
    listen(channel, listener) {
      const present = listeners.get(channel);
      const all = present ?? new Set<Listener>();
      listeners.set(channel, all.add(listener));
      if (!present && client) void listenLate(client, channel);
      return () => void all.delete(listener);
    },
  };

  async function listenLate(on: pg.Client, channel: string): Promise<void> {
    try {
      await listenOn(on, channel);
      call(channel, "");
    } catch (error) {
      logger.warn({ err: error, channel }, "a channel could not be listened on");
      await closeConnection(on);
    }
  }
}

function coarsen(pending: Map<string, Hint>): void {
  const channels = new Set([...pending.values()].map((hint) => hint.channel));
  pending.clear();
  for (const channel of channels) pending.set(`${channel}\n`, { channel, payload: "" });
}

async function listenOn(client: pg.Client, channel: string): Promise<void> {
  await client.query(`listen ${client.escapeIdentifier(channel)}`);
}

async function sendAll(client: pg.Client, hints: readonly Hint[]): Promise<void> {
  await client.query(
    "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as hint (channel, payload)",
    [hints.map((hint) => hint.channel), hints.map((hint) => hint.payload)],
  );
}

/** Rejects when the connection is lost or does not answer; resolves when this node stops. */
async function untilBroken(client: pg.Client, stopping: AbortSignal): Promise<void> {
  const ended = new AbortController();
  client.once("end", () => ended.abort());
  client.once("error", () => ended.abort());
  const either = AbortSignal.any([stopping, ended.signal]);
  while (!stopping.aborted) {
    await client.query("select 1");
    await pause(checkEveryMillis, either);
    if (ended.signal.aborted && !stopping.aborted) throw new Error("the connection ended");
  }
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  await sleep(millis, undefined, { signal }).catch(() => undefined);
}
