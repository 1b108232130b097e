// The part of ReadableStream and Response that the packages and their callers use.

type Result<T> = { done: false; value: T } | { done: true; value: undefined };

interface Source<T> {
  start?(controller: Controller<T>): unknown;
  pull?(controller: Controller<T>): unknown;
  cancel?(reason: unknown): unknown;
}

class Controller<T> {
  readonly values: T[] = [];
  state: "open" | "closed" | { error: unknown } = "open";

  enqueue(value: T): void {
    this.values.push(value);
  }

  close(): void {
    if (this.state === "open") this.state = "closed";
  }

  error(error: unknown): void {
    if (this.state === "open") this.state = { error };
  }
}

/** Asks its source for more when it is read, never before. */
class Stream<T> {
  readonly #source: Source<T>;
  readonly #controller = new Controller<T>();
  readonly #started: Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();
  #reader: object | undefined;

  constructor(source: Source<T> = {}) {
    this.#source = source;
    this.#started = Promise.resolve(source.start?.(this.#controller));
    this.#started.catch((problem) => this.#controller.error(problem));
  }

  get locked(): boolean {
    return this.#reader !== undefined;
  }

  getReader() {
    if (this.locked) throw new TypeError("the stream has a reader");
    const reader = {
      read: (): Promise<Result<T>> => {
        const next = this.#last.then(() => this.#read());
        this.#last = next.catch(() => undefined);
        return next;
      },
      cancel: (reason?: unknown): Promise<void> => this.#cancel(reason),
      releaseLock: () => {
        if (this.#reader === reader) this.#reader = undefined;
      },
    };
    this.#reader = reader;
    return reader;
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.locked) throw new TypeError("the stream has a reader");
    await this.#cancel(reason);
  }

  [Symbol.asyncIterator]() {
    const reader = this.getReader();
    return {
      next: () => reader.read(),
      return: async (): Promise<Result<T>> => {
        await reader.cancel();
        reader.releaseLock();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #read(): Promise<Result<T>> {
    const controller = this.#controller;
    await this.#started;
    while (controller.values.length === 0) {
      if (controller.state === "closed") return { done: true, value: undefined };
      if (typeof controller.state === "object") throw controller.state.error;
      try {
        if (this.#source.pull === undefined) throw new Error("the stream has no more");
        await this.#source.pull(controller);
      } catch (problem) {
        controller.error(problem);
      }
    }
    return { done: false, value: controller.values.shift() as T };
  }

  async #cancel(reason: unknown): Promise<void> {
    if (this.#controller.state !== "open") return;
    this.#controller.values.length = 0;
    this.#controller.close();
    await this.#source.cancel?.(reason);
  }
}

type Body = Uint8Array | ArrayBuffer | Stream<Uint8Array> | { arrayBuffer(): Promise<ArrayBuffer> };

/** The bytes of a body. Headers and status are those of the runtime's own answers. */
class Bytes {
  readonly body: Stream<Uint8Array>;

  constructor(body: Body) {
    this.body = body instanceof Stream ? body : streamOf(body);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const parts: Uint8Array[] = [];
    for (const reader = this.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
    }
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole.buffer;
  }
}

/** A stream of one part. */
function streamOf(body: Exclude<Body, Stream<Uint8Array>>): Stream<Uint8Array> {
  return new Stream<Uint8Array>({
    async pull(controller) {
      const whole = body instanceof Uint8Array ? body : new Uint8Array(await bufferOf(body));
      if (whole.length > 0) controller.enqueue(whole);
      controller.close();
    },
  });
}

async function bufferOf(body: ArrayBuffer | { arrayBuffer(): Promise<ArrayBuffer> }): Promise<ArrayBuffer> {
  return body instanceof ArrayBuffer ? body : body.arrayBuffer();
}

export { Bytes as Response, Stream as ReadableStream };
