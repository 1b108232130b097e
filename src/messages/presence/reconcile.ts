import type { Database } from "../../database/db.js";
import { createPeriodic } from "../../platform/concurrency/periodic.js";
import type { Logger } from "../../platform/logger.js";
import { readHeads } from "../queue/stream-store.js";
import type { LocalStream, Registry } from "./registry.js";

const devicesPerStatement = 1_000;

/**
 * Makes up for lost notifications. Compares this node's streams with their queues every few seconds, a thousand with
 * one statement. A stream whose queue has grown beyond the head it knows is woken; a stream that is no longer its
 * device's current one is ended. A standby that is promoted may not know the stream; then the failover ends it, which is noticed first.
 */
export function createReconciliation(deps: {
  db: Database;
  logger: Logger;
  registry: Registry;
  notify(stream: LocalStream, event: "wake"): void;
  replaced(streamId: string): void;
  isDown(deviceId: string): boolean;
  /** Resolves once a failover of the database has been noticed. */
  noticeFailover(): Promise<void>;
  config: { streamSafetyPollSeconds: number };
}) {
  const { db, logger, registry, isDown, config } = deps;

  const compareAll = async (): Promise<void> => {
    const streams = registry.all().filter(({ deviceId }) => !isDown(deviceId));
    for (let at = 0; at < streams.length; at += devicesPerStatement) {
      await compare(streams.slice(at, at + devicesPerStatement));
    }
  };
  const compare = async (streams: readonly LocalStream[]): Promise<void> => {
    const deviceIds = streams.map(({ deviceId }) => deviceId);
    const heads = await readHeads(db, deviceIds);
    const strangers: string[] = [];
    for (const stream of streams) {
      const found = heads.get(stream.deviceId);
      if (registry.get(stream.deviceId) !== stream || found === undefined) continue;
      if (found.streamId !== stream.streamId) strangers.push(stream.streamId);
      else if (found.head > stream.head) {
        stream.head = found.head;
        deps.notify(stream, "wake");
      }
    }
    if (strangers.length > 0) await deps.noticeFailover();
    for (const streamId of strangers) deps.replaced(streamId);
  };
  const periodic = createPeriodic({
    everyMillis: config.streamSafetyPollSeconds * 1000,
    run: compareAll,
    failed: (error) => logger.warn({ err: error }, "the streams could not be compared with their queues"),
  });

  return {
    start: periodic.start,
    stop: periodic.stop,
    /** Compares now. */
    run: (): void => void periodic.run(),
  };
}
