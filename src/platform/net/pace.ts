// A deadline for a whole transfer would cut large transfers over slow links. So transfers are ended for silence, or for
// moving fewer bytes than a least rate. Inspections are counted instead of time, so that a peer is not blamed for a
// process that was busy.

export interface PaceRules {
  /** A transfer is too slow if no byte moves for this long. */
  silenceSeconds: number;
  /** It is also too slow if fewer bytes than this move per second, averaged over twice the silence. */
  leastBytesPerSecond: number;
}

const inspectionsPerSilence = 10;
const inspectionsPerRate = 2 * inspectionsPerSilence;

/** The time between two inspections, in milliseconds. */
export function inspectEveryMillis({ silenceSeconds }: Pick<PaceRules, "silenceSeconds">): number {
  return (silenceSeconds * 1000) / inspectionsPerSilence;
}

/** The pace of one transfer. */
export class Pace {
  /** Inspections in a row at which nothing had moved. */
  silentInspections = 0;
  readonly #leastBytes: number;
  /** The bytes moved so far, at the latest inspections; the oldest first. */
  readonly #seen: number[];

  /** @param bytes what has moved so far */
  constructor({ silenceSeconds, leastBytesPerSecond }: PaceRules, bytes: number) {
    this.#leastBytes = leastBytesPerSecond * 2 * silenceSeconds;
    this.#seen = [bytes];
  }

  /** Takes the bytes that have moved so far; returns whether the transfer is too slow. Call it every `inspectEveryMillis`. */
  inspect(bytes: number): boolean {
    const seen = this.#seen;
    this.silentInspections = bytes === seen.at(-1) ? this.silentInspections + 1 : 0;
    seen.push(bytes);
    if (this.silentInspections >= inspectionsPerSilence) return true;
    if (seen.length <= inspectionsPerRate) return false;
    return bytes - (seen.shift() as number) < this.#leastBytes;
  }
}

/** Inspects a transfer until it is too slow, which is reported once, or until the returned function is called. */
export function watchPace(rules: PaceRules, bytesSoFar: () => number, tooSlow: () => void): () => void {
  const pace = new Pace(rules, bytesSoFar());
  const timer = setInterval(() => {
    if (!pace.inspect(bytesSoFar())) return;
    clearInterval(timer);
    tooSlow();
  }, inspectEveryMillis(rules));
  return () => clearInterval(timer);
}
