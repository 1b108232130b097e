export interface AdmissionConfig {
  /** Streams of one network address that have not authenticated yet. */
  readonly unauthenticatedStreamsPerIp: number;
  /** The same of the whole node. */
  readonly unauthenticatedStreamsPerNode: number;
  /** All streams of the node. */
  readonly streamsPerNode: number;
}

/** Why an upgrade is refused. */
export interface Refusal {
  readonly message: string;
  /** How many the address may have, where that is why; null where the whole node is full. */
  readonly limit: number | null;
}

/** Counts the streams of a node, so that nobody can hold many without a token. */
export class Admission {
  private readonly config: AdmissionConfig;
  private readonly unauthenticated = new Map<string, number>();
  private unauthenticatedTotal = 0;
  private total = 0;

  constructor(config: AdmissionConfig) {
    this.config = config;
  }

  /** Counts a new stream of the network address, or says why it may not be opened. */
  enter(network: string): Refusal | undefined {
    const here = this.unauthenticated.get(network) ?? 0;
    const limit = this.config.unauthenticatedStreamsPerIp;
    if (here >= limit) return { message: "Too many streams of this network address have not authenticated.", limit };
    const full = this.unauthenticatedTotal >= this.config.unauthenticatedStreamsPerNode;
    if (full || this.total >= this.config.streamsPerNode) {
      return { message: "The server holds as many streams as it can.", limit: null };
    }
    this.unauthenticated.set(network, here + 1);
    this.unauthenticatedTotal++;
    this.total++;
    return undefined;
  }

  /** A stream has authenticated, or is gone without. To be called once per stream that entered. */
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
