import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../platform/logger.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import { closeConnection, connectionSettings } from "./connection.js";

/** A connection outside the pool that reconnects when it is lost. */
export interface ReconnectingConnection {
  /** Resolves when the first connection is open; throws if none can be opened. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Runs a statement after those already queued; rejects at once while the connection is down. */
  ask: Ask;
}

export type Ask = (text: string, values?: unknown[]) => Promise<void>;

type Connection = ReturnType<typeof createConnection>;

const checkEveryMillis = 10_000;
const answerTimeoutMillis = 5_000;
const firstRetryMillis = 100;
const longestRetryMillis = 5_000;

/**
 * Keeps one connection open. `prepare` runs on every new connection before it is used, `opened` once it is. The
 * connection is probed every ten seconds, because a connection that was cut in the network may look alive for hours.
 */
export function createReconnectingConnection(deps: {
  url: string;
  logger: Logger;
  prepare(ask: Ask): Promise<void>;
  opened(): void;
  notified(channel: string, payload: string): void;
}): ReconnectingConnection {
  const stopping = new AbortController();
  let current: Connection | undefined;
  let keeping: Promise<void> = Promise.resolve();

  async function open(): Promise<Connection> {
    const fresh = createConnection(deps);
    try {
      await fresh.client.connect();
      await deps.prepare(fresh.ask);
    } catch (error) {
      await closeConnection(fresh.client);
      throw error;
    }
    current = fresh;
    deps.opened();
    return fresh;
  }

  async function keepUp(first: Connection): Promise<void> {
    let connection: Connection | undefined = first;
    while (connection) {
      await untilBroken(connection, stopping.signal);
      current = undefined;
      await closeConnection(connection.client);
      if (!stopping.signal.aborted) deps.logger.warn("the connection for notifications was lost");
      connection = await reopen();
    }
  }

  async function reopen(): Promise<Connection | undefined> {
    for (let failures = 1; !stopping.signal.aborted; failures++) {
      await pause(doublingWait(failures, { first: firstRetryMillis, longest: longestRetryMillis }), stopping.signal);
      if (stopping.signal.aborted) return undefined;
      const fresh = await open().catch((error: unknown) => {
        deps.logger.debug({ err: error }, "no connection for notifications");
      });
      if (fresh) return fresh;
    }
    return undefined;
  }

  return {
    async start() {
      keeping = keepUp(await open());
    },
    async stop() {
      stopping.abort();
      await keeping;
    },
    async ask(text, values) {
      if (!current) throw new Error("the connection is down");
      await current.ask(text, values);
    },
  };
}

function createConnection(deps: { url: string; notified(channel: string, payload: string): void }) {
  const client = new pg.Client({ ...connectionSettings(deps.url), query_timeout: answerTimeoutMillis });
  const ended = new AbortController();
  client.once("end", () => ended.abort());
  client.on("error", () => ended.abort());
  client.on("notification", ({ channel, payload }) => deps.notified(channel, payload ?? ""));
  let last: Promise<unknown> = Promise.resolve();
  const ask: Ask = async (text, values) => {
    const before = last.catch(() => undefined);
    const answer = before.then(() => client.query(text, values));
    last = answer;
    await answer;
  };
  return { client, ask, ended: ended.signal };
}

/** Resolves when the connection is lost, does not answer, or is no longer wanted. */
async function untilBroken(connection: Connection, stopping: AbortSignal): Promise<void> {
  const either = AbortSignal.any([stopping, connection.ended]);
  while (!either.aborted) {
    await pause(checkEveryMillis, either);
    if (either.aborted) return;
    const answered = await connection.ask("select 1").then(
      () => true,
      () => false,
    );
    if (!answered) return;
  }
}

async function pause(millis: number, signal: AbortSignal): Promise<void> {
  await sleep(millis, undefined, { signal }).catch(() => undefined);
}
