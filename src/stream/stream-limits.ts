import { NetworkCounts } from "../platform/net/network-counts.js";

interface StreamLimitsConfig {
  /** Maximum number of unauthenticated streams of one network address. */
  readonly unauthenticatedStreamsPerIp: number;
  /** Maximum number of unauthenticated streams of the whole node. */
  readonly unauthenticatedStreamsPerNode: number;
  /** Maximum number of streams of the node. */
  readonly streamsPerNode: number;
  /** How many times the limit of an IPv6 /64 applies to its /48. */
  readonly ipv6SiteFactor: number;
}

/** The reason why an upgrade is refused. */
interface Refusal {
  readonly message: string;
  /** The limit of the network address; null if the whole node is full. */
  readonly limit: number | null;
}

/** Counts and limits the streams of a node, so that nobody can hold many of them without a token. */
export class StreamLimits {
  private readonly config: StreamLimitsConfig;
  private readonly unauthenticated: NetworkCounts;
  private unauthenticatedTotal = 0;
  private total = 0;

  constructor(config: StreamLimitsConfig) {
    this.config = config;
    const limits = { limit: config.unauthenticatedStreamsPerIp, siteFactor: config.ipv6SiteFactor };
    this.unauthenticated = new NetworkCounts(limits);
  }

  /**
   * Counts a new stream of the network address, or returns why it may not be opened.
   *
   * @param endOldest ends the unauthenticated stream that has been open for longest; false if there is none
   */
  enter(network: string, endOldest: () => boolean): Refusal | undefined {
    const full = { message: "the server holds as many streams as it can", limit: null };
    if (this.total >= this.config.streamsPerNode) return full;
    const limit = this.unauthenticated.enter(network);
    if (limit !== undefined) {
      return { message: "too many streams of this network address have not authenticated", limit };
    }
    if (this.unauthenticatedTotal >= this.config.unauthenticatedStreamsPerNode && !endOldest()) {
      this.unauthenticated.leave(network);
      return full;
    }
    this.unauthenticatedTotal++;
    this.total++;
    return undefined;
  }

  /** A stream has authenticated, or has ended without. Must be called once per stream that entered. */
  authenticated(network: string): void {
    this.unauthenticated.leave(network);
    this.unauthenticatedTotal--;
  }

  /** A stream's socket is closed. */
  leave(): void {
    this.total--;
  }
}
