import type { Outlet } from "./outlet.js";

export interface LivenessRules {
  readonly intervalMillis: number;
  /** A peer that leaves this many pings unanswered is dropped. */
  readonly missesAllowed: number;
}

/**
 * The server's own WebSocket pings (RFC 6455, section 5.5.2). While data waits to be written none is sent: it would only
 * queue up behind, and whether a peer still reads is then seen by whether the data moves.
 */
export class Liveness {
  private readonly rules: LivenessRules;
  private nextPingAt: number;
  private unanswered = 0;

  /** @param phase 0 to 1, spreads the pings of streams that were opened together */
  constructor(rules: LivenessRules, start: { now: number; phase: number }) {
    this.rules = rules;
    this.nextPingAt = start.now + rules.intervalMillis * (0.5 + start.phase / 2);
  }

  /** The peer has answered. */
  heard(): void {
    this.unanswered = 0;
  }

  /** Sends a ping where one is due; false if the peer must be given up. */
  check(outlet: Outlet, now: number): boolean {
    if (now < this.nextPingAt) return true;
    this.nextPingAt = now + this.rules.intervalMillis;
    if (outlet.pending) return true;
    if (this.unanswered >= this.rules.missesAllowed) return false;
    this.unanswered++;
    outlet.ping();
    return true;
  }
}
