import type { components } from "../../generated/openapi-types.js";
import { overloaded } from "../protocol/errors.js";

// Readiness: whether a node may get requests from a load balancer.

/** Why this node takes no requests. */
type UnreadyReason = NonNullable<components["schemas"]["ErrorBody"]["reason"]>;

/** Returns quickly why this node takes no requests; null if it does. */
export type ReadinessCheck = () => UnreadyReason | null | Promise<UnreadyReason | null>;

const retryAfterSeconds = 5;

const unready: Readonly<Record<UnreadyReason, string>> = {
  draining: "it is stopping",
  clock: "the time is not trusted",
  database: "the database does not answer, or accepts no writes",
  disk: "no space is left on the database's disk",
  files: "it has as many open files as it may have",
};

/** Throws OVERLOADED with the first reason for which this node is not ready. */
export async function requireReady(checks: readonly ReadinessCheck[]): Promise<void> {
  for (const check of checks) {
    const reason = await check();
    if (reason === null) continue;
    const message = `this node takes no requests at the moment: ${unready[reason]}`;
    throw overloaded(message, retryAfterSeconds, { reason });
  }
}
