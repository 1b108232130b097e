// Envelopes that a device cannot open yet. They wait for a limited time, and there is room for a limited number. While more than half of it is taken,
// further ones are better left at the relay until the epochs that have been entered make room.

export const maxWaitingSeconds = 7 * 86_400;
const maxWaiting = 1_000;
const maxWaitingBytes = 16 * 1024 * 1024;
/** Nobody knows who has sent an envelope, so those that came in the same minute have a share. */
const shareSeconds = 60;

interface Place {
  bytes: number;
  /** When it came, in seconds since 1970. */
  atSeconds: number;
}

/** The envelopes by a key that is unique for each, oldest first. */
export class WaitingRoom<E> {
  readonly #placeOf: (entry: E) => Place;
  readonly #entries = new Map<string, E>();
  #bytes = 0;
  /** Waiting has made no room: what is here belongs to no group. */
  #isStuck = false;
  #room: Promise<void> | undefined;
  #onRoom = () => {};

  constructor(placeOf: (entry: E) => Place) {
    this.#placeOf = placeOf;
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  entries(): IterableIterator<[key: string, entry: E]> {
    return this.#entries.entries();
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  add(key: string, entry: E): void {
    if (this.#entries.has(key)) return;
    this.#entries.set(key, entry);
    this.#bytes += this.#placeOf(entry).bytes;
  }

  /** It has waited too long, or has to make way for newer ones. */
  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#placeOf(entry).bytes;
    if (!this.isCrowded()) this.#onRoom();
  }

  /** Its keys have come. */
  handled(key: string): void {
    this.#isStuck = false;
    this.drop(key);
  }

  /** Whether more than half of the room is taken. */
  isCrowded(): boolean {
    return this.#entries.size > maxWaiting / 2 || this.#bytes > maxWaitingBytes / 2;
  }

  /** Waits until the room is crowded no more, or the other wait ends. If that has made no room, nobody waits again until something is handled. */
  async makeRoom(otherwise: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    if (this.#isStuck || !this.isCrowded()) return;
    this.#room ??= new Promise((resolve) => {
      this.#onRoom = () => {
        this.#room = undefined;
        resolve();
      };
    });
    const over = new AbortController();
    await Promise.race([this.#room, otherwise(over.signal)]);
    over.abort();
    this.#isStuck = this.isCrowded();
  }

  /**
   * Which have to go: those that have waited too long, and, if there is no room for all and one more, the oldest ones of the minute in which most came. So a
   * flood takes its own place, and not that of what came before or after it.
   */
  surplus(isExpired: (entry: E) => boolean, more?: E): [key: string, entry: E][] {
    const gone: [key: string, entry: E][] = [];
    const minutes = new Map<number, { count: number; bytes: number; left: [key: string, entry: E][] }>();
    let [count, bytes] = more === undefined ? [0, 0] : [1, this.#placeOf(more).bytes];
    for (const one of this.#entries) {
      if (isExpired(one[1])) {
        gone.push(one);
        continue;
      }
      const place = this.#placeOf(one[1]);
      const minute = Math.floor(place.atSeconds / shareSeconds);
      const share = minutes.get(minute) ?? { count: 0, bytes: 0, left: [] };
      minutes.set(minute, share);
      share.left.push(one);
      share.count += 1;
      share.bytes += place.bytes;
      count += 1;
      bytes += place.bytes;
    }
    while (minutes.size > 0 && (count > maxWaiting || bytes > maxWaitingBytes)) {
      const what = count > maxWaiting ? "count" : "bytes";
      const share = [...minutes.values()].reduce((most, one) => (one[what] > most[what] ? one : most));
      const [oldest] = share.left.splice(0, 1);
      if (oldest === undefined) break;
      const { bytes: freed } = this.#placeOf(oldest[1]);
      share.count -= 1;
      share.bytes -= freed;
      count -= 1;
      bytes -= freed;
      gone.push(oldest);
    }
    return gone;
  }
}
