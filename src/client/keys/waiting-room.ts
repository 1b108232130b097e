// Envelopes that a device cannot open yet. There is room for a limited number of them. While more than half of it is taken, further ones are
// better left at the relay until the epochs that have been entered make room.

const maxWaiting = 1_000;
const maxWaitingBytes = 16 * 1024 * 1024;

/** The envelopes by a key that is unique for each, oldest first. */
export class WaitingRoom<E> {
  readonly #bytesOf: (entry: E) => number;
  readonly #entries = new Map<string, E>();
  #bytes = 0;
  /** Waiting has made no room: what is here belongs to no group. */
  #isStuck = false;
  #room: Promise<void> | undefined;
  #onRoom = () => {};

  constructor(bytesOf: (entry: E) => number) {
    this.#bytesOf = bytesOf;
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
    this.#bytes += this.#bytesOf(entry);
  }

  /** It has waited too long, or has to make way for newer ones. */
  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#bytesOf(entry);
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

  /** Which have to go: those that have waited too long, and the oldest ones if there is no room for all and one more. */
  surplus(isExpired: (entry: E) => boolean, more?: E): [key: string, entry: E][] {
    let count = this.#entries.size + (more === undefined ? 0 : 1);
    let bytes = this.#bytes + (more === undefined ? 0 : this.#bytesOf(more));
    return [...this.#entries].filter(([, entry]) => {
      if (count <= maxWaiting && bytes <= maxWaitingBytes && !isExpired(entry)) return false;
      count -= 1;
      bytes -= this.#bytesOf(entry);
      return true;
    });
  }
}
