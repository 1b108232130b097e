import { onTestFinished } from "vitest";
import { type DeviceKeys, deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient, type DeviceOptions } from "../../src/client/device/client.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import { type Runtime, runtimeWith, type SocketLike } from "../../src/client/runtime/runtime.js";
import type { Receiving, ReceivingEnd, ReceivingOptions, ReceivingStatus } from "../../src/client/stream/receiving.js";
import type { TestRelay } from "../support/relay.js";

const keysByDevice = new Map<string, DeviceKeys>();

/** The keys of a client made here, for another client of the same device. */
export function keysOf({ deviceId }: DeviceClient): DeviceKeys {
  return keysByDevice.get(deviceId) as DeviceKeys;
}

/** A client of the relay, on the relay's time, that is announced already unless `announced` is false. */
export async function newClient(
  relay: TestRelay,
  options: Partial<DeviceOptions> & { announced?: boolean } = {},
): Promise<DeviceClient> {
  const { announced = true, runtime, ...rest } = options;
  const keys = options.keys ?? deviceKeysOf(newSecretKey());
  keysByDevice.set(keys.deviceId, keys);
  const client = await connectDevice({
    url: relay.url,
    domain: relay.config.domain,
    keys,
    ...rest,
    runtime: { nowMillis: () => relay.clock.nowMillis(), ...runtime },
  });
  if (announced) await client.register({ admission: { by: "nothing" } });
  return client;
}

/** Sends a text as if it were a ciphertext. */
export function sendText(from: DeviceClient, to: DeviceClient, text: string): Promise<unknown> {
  const ciphertext = new TextEncoder().encode(text);
  const address = to.session()?.addresses.at(-1) ?? "";
  return from.send({ to: address, ciphertext });
}

function textOf({ ciphertext }: IncomingMessage): string {
  return new TextDecoder().decode(ciphertext);
}

/** Receiving, and all that was told about it. */
export interface Listener {
  receiving: Receiving;
  texts: string[];
  statuses: ReceivingStatus[];
  problems: unknown[];
  /** What is received fails, as often as this says. */
  failures: number;
  end(): Promise<ReceivingEnd>;
  /** Waits until a condition holds. */
  until(condition: (listener: Listener) => boolean): Promise<void>;
}

export function listen(client: DeviceClient, options: Partial<ReceivingOptions> = {}): Listener {
  const news = new EventTarget();
  const tell = () => news.dispatchEvent(new Event("news"));
  const listener: Listener = {
    texts: [],
    statuses: [],
    problems: [],
    failures: 0,
    end: () => listener.receiving.ended,
    until: (condition) => waitFor(() => condition(listener), { news, about: listener }),
    receiving: client.receive({
      handle: (message) => {
        if (listener.failures-- > 0) throw new Error("the application is not ready");
        listener.texts.push(textOf(message));
        tell();
      },
      onStatus: (status) => {
        listener.statuses.push(status);
        tell();
      },
      onProblem: (problem) => {
        listener.problems.push(problem);
        tell();
      },
      ...options,
    }),
  };
  onTestFinished(() => listener.receiving.stop());
  return listener;
}

const patienceMillis = 300_000;

async function waitFor(condition: () => boolean, { news, about }: { news: EventTarget; about: Listener }) {
  const deadline = performance.now() + patienceMillis;
  while (!condition()) {
    const left = deadline - performance.now();
    if (left <= 0) {
      const { texts, statuses, problems } = about;
      throw new Error(`waited in vain: ${JSON.stringify({ texts, statuses, problems: problems.map(String) })}`);
    }
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        news.removeEventListener("news", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(left, 50));
      news.addEventListener("news", done);
    });
  }
}

/** Waits that pass at once, except those for pings and for a stream to open, and unless asked for those between polls. */
export function hurriedSleep({ polls = false } = {}): Runtime["sleep"] {
  const { sleep } = runtimeWith();
  const isHurried = (millis: number) => millis < 10_000 || (polls && millis === 30_000);
  return (millis, signal) => sleep(isHurried(millis) ? 1 : millis, signal);
}

/** Waits that end with their signal only. */
export function heldSleep(): Runtime["sleep"] {
  return (_, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** Sockets of the platform with a hand on them. */
export interface HeldSockets {
  openSocket(url: string): Promise<SocketLike>;
  opened: SocketLike[];
  /** What the relay has sent and the client has heard. */
  received: string[];
  /** New sockets fail as long as this is set. */
  refusing: boolean;
  /** Frames to the relay for which this answers true are lost on the way. */
  loses(frame: string): boolean;
  /** What the relay sends is lost on the way as long as this is set. */
  deaf: boolean;
  /** Breaks the open socket without a word to either side's code. */
  break(): void;
  /** Lets the client receive what the relay never sent. */
  inject(data: unknown): void;
}

export function holdSockets(): HeldSockets {
  const own = runtimeWith();
  const held: HeldSockets = {
    opened: [],
    received: [],
    refusing: false,
    deaf: false,
    loses: () => false,
    async openSocket(url) {
      if (held.refusing) throw new Error("no route to the relay");
      const socket = await own.openSocket(url);
      const send = socket.send.bind(socket);
      socket.send = (data) => {
        if (!held.loses(data)) send(data);
      };
      held.opened.push(socket);
      return withEars(socket, held);
    },
    break() {
      const socket = held.opened.at(-1) as (SocketLike & { terminate?(): void }) | undefined;
      // Node's own WebSocket can only be closed.
      if (socket?.terminate) socket.terminate();
      else socket?.close();
    },
    inject: (data) => held.opened.at(-1)?.onmessage?.({ data }),
  };
  return held;
}

/** The same socket, but what comes in is handed on only while it is not deaf. */
function withEars(socket: SocketLike, held: HeldSockets): SocketLike {
  let bytes = 0;
  return new Proxy(socket, {
    get(target, name) {
      if (name === "bytesHeard" && target.bytesHeard !== undefined)
        return () => {
          if (!held.deaf) bytes = target.bytesHeard?.() ?? bytes;
          return bytes;
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, name, value) {
      const listen = value as (event: unknown) => void;
      const hear = (event: { data: unknown }) => {
        if (held.deaf) return;
        listen(event);
        held.received.push(String(event.data));
      };
      const heard = name === "onmessage" ? hear : value;
      return Reflect.set(target, name, heard, target);
    },
  });
}

/** Carries requests out and loses the answers of those that it is told to, once for each. */
export function losingFetch(loses: (request: { method: string; path: string }, body: string) => boolean) {
  const lost: string[] = [];
  const fetch: Runtime["fetch"] = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const body = await response.text();
    const { pathname: path } = new URL(url);
    const what = `${init.method} ${path}`;
    if (!lost.includes(what) && loses({ method: init.method ?? "GET", path }, body)) {
      lost.push(what);
      throw new TypeError("the connection broke");
    }
    return new Response(body || null, response);
  };
  return { fetch, lost };
}
