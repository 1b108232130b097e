import { runtimeWith, type SocketLike } from "../../src/client/runtime/runtime.js";
import type { GroupsOptions, Store } from "../../src/groups/index.js";
import type { TestRelay } from "../support/relay.js";

class Crash extends Error {}

/**
 * One run of a device's program. It counts the calls of the store and of the network, and ends by `end`, or at one call: before it is made if its
 * number is even, else after it, with its answer lost.
 */
export class Life {
  calls = 0;
  isOver = false;
  /** Whether the device's relay cannot be reached. */
  isCut = false;
  readonly #last: number;
  readonly #sockets = new Set<SocketLike>();

  constructor(last = Number.POSITIVE_INFINITY) {
    this.#last = last;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw new Crash("the device has ended");
    this.calls += 1;
    const isLast = this.calls === this.#last;
    const isBefore = this.#last % 2 === 0;
    if (isLast && isBefore) this.end();
    if (this.isOver) throw new Crash("the device ends before the call");
    const answer = await work();
    if (isLast) this.end();
    if (this.isOver) throw new Crash("the device ends with the answer");
    return answer;
  }

  end(): void {
    this.isOver = true;
    this.#closeSockets();
  }

  cut(): void {
    this.isCut = true;
    this.#closeSockets();
  }

  heal(): void {
    this.isCut = false;
  }

  store(real: Store): Store {
    return {
      lock: (options) => real.lock(options),
      get: (key) => this.call(() => real.get(key)),
      list: (range) => this.call(() => real.list(range)),
      write: (changes) => this.call(() => real.write(changes)),
      close: () => real.close(),
    };
  }

  runtime(relay: TestRelay): NonNullable<GroupsOptions["runtime"]> {
    const { openSocket, fetch } = runtimeWith();
    const demandConnected = () => {
      if (this.isCut) throw new TypeError("no route to the relay");
    };
    return {
      nowMillis: () => relay.clock.nowMillis(),
      fetch: (url, init) =>
        this.call(async () => {
          demandConnected();
          const answer = await fetch(url, init);
          demandConnected();
          return answer;
        }),
      openSocket: async (url) => {
        if (this.isOver) throw new Crash("the device has ended");
        demandConnected();
        const socket = await openSocket(url);
        this.#sockets.add(socket);
        if (this.isOver || this.isCut) socket.close();
        return socket;
      },
    };
  }

  #closeSockets(): void {
    for (const socket of this.#sockets) socket.close();
    this.#sockets.clear();
  }
}
