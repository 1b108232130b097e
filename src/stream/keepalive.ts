import type { Connection } from "./connection.js";

interface KeepaliveRules {
  readonly intervalMillis: number;
  /** A peer that leaves this many pings unanswered is disconnected. */
  readonly missesAllowed: number;
  /** A peer that sends this many bytes between two pings is there: its pong may wait behind them on a slow link. */
  readonly leastBytes: number;
  /** A peer may send this many pings and pongs between two pings. */
  readonly controlFramesAllowed: number;
}

/**
 * The server's own WebSocket pings (RFC 6455, section 5.5.2). None is sent while data waits to be written: it would
 * only queue behind the data, whose progress already shows whether the peer still reads.
 */
export class Keepalive {
  private readonly rules: KeepaliveRules;
  private nextPingAt: number;
  private unanswered = 0;
  private received = 0;
  private controlFrames = 0;

  /** @param phase 0 to 1, spreads the pings of streams that were opened together */
  constructor(rules: KeepaliveRules, start: { now: number; phase: number }) {
    this.rules = rules;
    this.nextPingAt = start.now + rules.intervalMillis * (0.5 + start.phase / 2);
  }

  /** The peer has answered. */
  heard(): void {
    this.unanswered = 0;
  }

  /** Counts a ping or a pong of the peer; false if there are too many. */
  admitsControlFrame(): boolean {
    return ++this.controlFrames <= this.rules.controlFramesAllowed;
  }

  /** Sends a ping if one is due; false if the peer must be disconnected. */
  check(connection: Connection, now: number): boolean {
    if (now < this.nextPingAt) return true;
    this.nextPingAt = now + this.rules.intervalMillis;
    this.controlFrames = 0;
    const { bytesReceived } = connection;
    if (bytesReceived - this.received >= Math.max(1, this.rules.leastBytes)) this.unanswered = 0;
    this.received = bytesReceived;
    if (connection.pending) return true;
    if (this.unanswered >= this.rules.missesAllowed) return false;
    this.unanswered++;
    connection.ping();
    return true;
  }
}
