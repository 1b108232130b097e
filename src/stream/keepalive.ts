import type { Connection } from "./connection.js";

interface KeepaliveRules {
  readonly intervalMillis: number;
  /** A peer that leaves this many pings unanswered is disconnected. */
  readonly missesAllowed: number;
}

/**
 * The server's own WebSocket pings (RFC 6455, section 5.5.2). None is sent while data waits to be written: it would
 * only queue behind the data, whose progress already shows whether the peer still reads.
 */
export class Keepalive {
  private readonly rules: KeepaliveRules;
  private nextPingAt: number;
  private unanswered = 0;

  /** @param phase 0 to 1, spreads the pings of streams that were opened together */
  constructor(rules: KeepaliveRules, start: { now: number; phase: number }) {
    this.rules = rules;
    this.nextPingAt = start.now + rules.intervalMillis * (0.5 + start.phase / 2);
  }

  /** The peer has answered. */
  heard(): void {
    this.unanswered = 0;
  }

  /** Sends a ping if one is due; false if the peer must be disconnected. */
  check(connection: Connection, now: number): boolean {
    if (now < this.nextPingAt) return true;
    this.nextPingAt = now + this.rules.intervalMillis;
    if (connection.pending) return true;
    if (this.unanswered >= this.rules.missesAllowed) return false;
    this.unanswered++;
    connection.ping();
    return true;
  }
}
