// A phone without its screen: an engine for JavaScript that has only what React Native gives a program, and what that stands on.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createContext, Script } from "node:vm";
import WebSocket from "ws";
import { programs } from "../../support/programs.js";

interface Engine {
  run(code: string): void;
  stop(): void;
}

/** Starts an engine that calls `emit` with each line that the program emits. */
export type StartEngine = (emit: (line: string) => void) => Engine;

interface Asked {
  kind: "timer" | "fetch" | "abort" | "socket" | "frame" | "close" | "sqlite" | "answer";
  id: number;
  given: Record<string, unknown>;
}

/** In which the language is as new as this Node.js, without what Hermes leaves out. */
export const inNode: StartEngine = (emit) => {
  const context = createContext({ emit });
  const lacking = ["WebAssembly", "SharedArrayBuffer", "Atomics", "escape", "unescape"];
  new Script("escape(''); globalThis.escapes = [escape, unescape];").runInContext(context);
  new Script(
    `for (const name of ${JSON.stringify(lacking)}) delete globalThis[name];
    [globalThis.escape, globalThis.unescape] = escapes; delete globalThis.escapes;
    delete Intl.Segmenter; delete Promise.withResolvers; delete Array.fromAsync;`,
  ).runInContext(context);
  return { run: (code) => void new Script(code).runInContext(context), stop() {} };
};

/** The program `hermes`, which evaluates each line of its input and prints what is emitted. */
export const inHermes =
  (program: string): StartEngine =>
  (emit) => {
    const child = spawn(program, ["-w"], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const begin = line.indexOf("@{");
      if (begin >= 0) emit(line.slice(begin + 1));
      else if (/^(?:>> )*Uncaught/.test(line)) throw new Error(line);
    });
    child.stdin.write("globalThis.emit = function (text) { print('@' + text); };\n");
    return {
      run: (code) => void child.stdin.write(`${code.replaceAll("\n", " ")}\n`),
      stop: () => void child.kill("SIGKILL"),
    };
  };

export class Phone {
  readonly #engine: Engine;
  readonly #sockets = new Map<number, WebSocket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #requests = new Map<number, AbortController>();
  readonly #answers = new Map<number, (answer: { value?: unknown; problem?: string }) => void>();
  #last = 0;
  #isStopped = false;
  readonly #sqlite: ChildProcess;
  /** Calls of SQLite that are not answered yet: answers come in order. */
  readonly #queries: number[] = [];

  private constructor(start: StartEngine) {
    const program = ["--import", "tsx", "test/groups/phone/sqlite-process.ts"];
    this.#sqlite = spawn(programs["node-24"].find() ?? "", program, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#sqlite.stdout as NodeJS.ReadableStream }).on("line", (line) =>
      this.#tell(this.#queries.shift() as number, JSON.parse(line)),
    );
    this.#engine = start((line) => this.#serve(JSON.parse(line)));
  }

  /** Turns the phone on. `code` defines `mls`, what the package exports. */
  static async start(start: StartEngine, { globals, code }: { globals: string; code: string }): Promise<Phone> {
    const phone = new Phone(start);
    phone.#engine.run(globals);
    phone.#engine.run(code);
    phone.#engine.run(
      `var runtime = mls.reactNativeRuntime({ randomBytes: randomBytesOf("${randomBytes(100_000).toString("base64")}") });`,
    );
    return phone;
  }

  /** The value of a promise in the program, as JSON. */
  async ask<T>(expression: string): Promise<T> {
    const id = ++this.#last;
    const answered = new Promise<{ value?: unknown; problem?: string }>((resolve) => this.#answers.set(id, resolve));
    this.#engine.run(`answer(${id}, function () { return ${expression}; });`);
    const { value, problem } = await answered;
    if (problem !== undefined) throw new Error(problem);
    return value as T;
  }

  /** As the system ends an application: without a word. */
  stop(): void {
    this.#isStopped = true;
    this.#engine.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets.values()) socket.terminate();
    for (const request of this.#requests.values()) request.abort();
    this.#sqlite.kill();
  }

  #tell(id: number, given: object): void {
    if (this.#isStopped) return;
    this.#engine.run(`receive(${JSON.stringify(JSON.stringify({ id, given }))});`);
  }

  #serve({ kind, id, given }: Asked): void {
    if (this.#isStopped) return;
    if (kind === "answer") this.#answers.get(id)?.(given);
    else if (kind === "timer") this.#wait(id, given["millis"] as number);
    else if (kind === "fetch") void this.#fetch(id, given);
    else if (kind === "abort") this.#requests.get(id)?.abort();
    else if (kind === "socket") this.#connect(id, given["url"] as string);
    else if (kind === "frame") this.#sockets.get(id)?.send(given["data"] as string);
    else if (kind === "close") this.#sockets.get(id)?.close(given["code"] as number, given["reason"] as string);
    else {
      this.#queries.push(id);
      this.#sqlite.stdin?.write(`${JSON.stringify(given)}\n`);
    }
  }

  #wait(id: number, millis: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#tell(id, {});
    }, millis);
    this.#timers.add(timer);
  }

  async #fetch(id: number, { url, method, headers, text, base64 }: Record<string, unknown>): Promise<void> {
    const controller = new AbortController();
    this.#requests.set(id, controller);
    try {
      const answer = await fetch(url as string, {
        method: (method as string | undefined) ?? "GET",
        headers: headers as Record<string, string>,
        body: (text as string) ?? (base64 === undefined ? null : Buffer.from(base64 as string, "base64")),
        signal: controller.signal,
      });
      const body = Buffer.from(await answer.arrayBuffer()).toString("base64");
      const { status } = answer;
      this.#tell(id, { status, url: answer.url, headers: Object.fromEntries(answer.headers), base64: body });
    } catch {
      if (!controller.signal.aborted) this.#tell(id, { failed: true });
    } finally {
      this.#requests.delete(id);
    }
  }

  #connect(id: number, url: string): void {
    const socket = new WebSocket(url);
    this.#sockets.set(id, socket);
    socket.on("open", () => this.#tell(id, { type: "open" }));
    socket.on("message", (data) => this.#tell(id, { type: "message", data: String(data) }));
    socket.on("error", () => this.#tell(id, { type: "error" }));
    socket.on("close", (code, reason) => {
      this.#sockets.delete(id);
      this.#tell(id, { type: "close", code, reason: String(reason) });
    });
  }
}

export const globalsOfReactNative = (): Promise<string> =>
  readFile(new URL("globals.js", import.meta.url), "utf8").then((text) => text.replaceAll(/^\s*\/\/.*$/gm, ""));
