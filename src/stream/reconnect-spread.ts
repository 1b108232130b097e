import type { Random } from "../platform/random.js";
import type { StreamSettings } from "./config.js";

/**
 * The seconds over which the clients of a relay that stops come back. A few may come back together, but many would overload the node that
 * they connect to.
 */
export function spreadSecondsOf(
  streams: number,
  config: Pick<StreamSettings, "reconnectSpreadSeconds" | "reconnectsPerSecond">,
): number {
  return Math.min(config.reconnectSpreadSeconds, streams / config.reconnectsPerSecond);
}

/** The seconds after which one of these clients comes back: at least one, at random, to a tenth. */
export function reconnectAfterSeconds(spreadSeconds: number, random: Pick<Random, "fraction">): number {
  return Math.round((1 + random.fraction() * spreadSeconds) * 10) / 10;
}
