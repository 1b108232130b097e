interface StreamLimitsConfig {
  /** Maximum number of unauthenticated streams of one network address. */
  readonly unauthenticatedStreamsPerIp: number;
  /** Maximum number of unauthenticated streams of the whole node. */
  readonly unauthenticatedStreamsPerNode: number;
  /** Maximum number of streams of the node. */
  readonly streamsPerNode: number;
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
  private readonly unauthenticated = new Map<string, number>();
  private unauthenticatedTotal = 0;
  private total = 0;

  constructor(config: StreamLimitsConfig) {
    this.config = config;
  }

  /** Counts a new stream of the network address, or returns why it may not be opened. */
  enter(network: string): Refusal | undefined {
    const here = this.unauthenticated.get(network) ?? 0;
    const limit = this.config.unauthenticatedStreamsPerIp;
    if (here >= limit) return { message: "too many streams of this network address have not authenticated", limit };
    const full = this.unauthenticatedTotal >= this.config.unauthenticatedStreamsPerNode;
    if (full || this.total >= this.config.streamsPerNode) {
      return { message: "the server holds as many streams as it can", limit: null };
    }
    this.unauthenticated.set(network, here + 1);
    this.unauthenticatedTotal++;
    this.total++;
    return undefined;
  }

  /** A stream has authenticated, or has ended without. Must be called once per stream that entered. */
  authenticated(network: string): void {
    const left = (this.unauthenticated.get(network) ?? 1) - 1;
    if (left === 0) this.unauthenticated.delete(network);
    else this.unauthenticated.set(network, left);
    this.unauthenticatedTotal--;
  }

  /** A stream's socket is closed. */
  leave(): void {
    this.total--;
  }
}
