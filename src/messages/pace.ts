import type { Pace } from "../platform/concurrency/batcher.js";

/** Beyond this many nodes flushes do not wait longer. */
const mostNodes = 4;

/**
 * The pace of one of several nodes on a database. Each has its part of the messages only, and flushes cost nearly the same
 * whatever they hold: so each node waits longer for as large ones, and all of them make as many as one node alone.
 */
export function paceAmong(nodes: number, { millis, fullCount }: Pace): Pace {
  return { millis: millis * Math.min(nodes, mostNodes), fullCount };
}
