import { EventEmitter } from "node:events";
import { isMainThread } from "node:worker_threads";

// Loaded into a relay's process before anything else (NODE_OPTIONS=--import). On SIGUSR2 it does what INJECT says:
//   exception, rejection: throws an error that nobody catches
//   emitters: emits an error from every live emitter, and writes to standard error how each kind handled it,
// so that no list of the relay's emitters has to be maintained.

interface Kind {
  emitted: number;
  /** Emitters without a listener: in production, the error would have ended the process. */
  unowned: number;
}

type Emitter = EventEmitter & Record<string, unknown>;

const created = new Set<WeakRef<Emitter>>();

/** Every emitter's constructor comes through here. */
function watchEmitters(): void {
  const holder = EventEmitter as unknown as { init(this: Emitter, options: unknown): void };
  const { init } = holder;
  holder.init = function (options) {
    init.call(this, options);
    created.add(new WeakRef(this));
  };
}

/** An emitter that has ended emits nothing more. */
function isOver(emitter: Emitter): boolean {
  const ended = emitter["destroyed"] === true || emitter["_ended"] === true || emitter["closed"] === true;
  const exited = typeof emitter["exitCode"] === "number" || emitter["threadId"] === -1;
  // A complete request, and an answer that has been sent.
  const whole = emitter["complete"] === true || (emitter["sendDate"] === true && emitter["finished"] === true);
  return ended || exited || whole;
}

function emitEverywhere(): Record<string, Kind> {
  const kinds: Record<string, Kind> = {};
  const alive = [...created].map((one) => one.deref()).filter((one) => one !== undefined && !isOver(one));
  for (const emitter of alive as Emitter[]) {
    const kind = kinds[emitter.constructor.name] ?? { emitted: 0, unowned: 0 };
    kinds[emitter.constructor.name] = kind;
    const hasListener = emitter.listenerCount("error") > 0;
    kind.emitted += 1;
    if (hasListener) emitter.emit("error", new Error("injected"));
    else kind.unowned += 1;
  }
  return kinds;
}

const commands: Record<string, () => void> = {
  exception() {
    throw new Error("injected");
  },
  rejection: () => void Promise.reject(new Error("injected")),
  emitters: () => void process.stderr.write(`injected ${JSON.stringify(emitEverywhere())}\n`),
};

if (isMainThread) {
  watchEmitters();
  process.on("SIGUSR2", () => commands[process.env["INJECT"] ?? ""]?.());
}
