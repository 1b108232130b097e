// Firefox and WebKitGTK, driven by what they bring: WebDriver BiDi, and a server for WebDriver.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { WebSocket } from "ws";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { createLifecycle } from "../../src/process/lifecycle.js";
import { programs } from "./programs.js";
import { until } from "./until.js";

/** A browser with one page. */
export interface OtherBrowser {
  open(url: string): Promise<void>;
  /** Calls a function of texts in the page. It returns what JSON can express. */
  run<T>(code: (...texts: string[]) => T, ...texts: string[]): Promise<T>;
  close(): Promise<void>;
}

type Launch = () => Promise<OtherBrowser>;

export const otherBrowsers: Readonly<Record<"firefox" | "webkit", Launch>> = {
  firefox: launchFirefox,
  webkit: launchWebKit,
};

const capabilities = { alwaysMatch: { acceptInsecureCerts: true } };
const asJson = (code: (...texts: string[]) => unknown) => `(...texts) => JSON.stringify((${code})(...texts) ?? null)`;

async function launchFirefox(): Promise<OtherBrowser> {
  const lifecycle = createLifecycle();
  try {
    const profile = await mkdtemp(path.join(tmpdir(), "mls-relay-firefox-"));
    lifecycle.atEnd(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
    const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"];
    const child = start(programs.firefox.find(), args, {});
    lifecycle.atEnd(() => end(child));
    const address = await said(child.stderr, /WebDriver BiDi listening on (ws:\S+)/);
    const socket = new WebSocket(`${address}/session`);
    await once(socket, "open");
    lifecycle.atEnd(() => socket.close());
    const call = callsOf(socket);
    await call("session.new", { capabilities });
    const { contexts } = await call<{ contexts: { context: string }[] }>("browsingContext.getTree", {});
    const context = contexts[0]?.context ?? "";
    return {
      async open(url) {
        await call("browsingContext.navigate", { context, url, wait: "complete" });
      },
      async run(code, ...texts) {
        const answer = await call<{ result: { value?: string }; exceptionDetails?: { text: string } }>(
          "script.callFunction",
          {
            functionDeclaration: asJson(code),
            awaitPromise: true,
            target: { context },
            arguments: texts.map((value) => ({ type: "string", value })),
          },
        );
        if (answer.exceptionDetails !== undefined) throw new Error(answer.exceptionDetails.text);
        return JSON.parse(answer.result.value ?? "null");
      },
      close: () => lifecycle.end(),
    };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}

interface BidiAnswer {
  id?: number;
  type: "success" | "error" | "event";
  result?: unknown;
  message?: string;
}

function callsOf(socket: WebSocket): <T>(method: string, params: object) => Promise<T> {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(problem: Error): void }>();
  socket.on("message", (data) => {
    const { id = -1, type, result, message } = JSON.parse(String(data)) as BidiAnswer;
    if (type === "error") waiting.get(id)?.reject(new Error(message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  let calls = 0;
  return <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      const id = ++calls;
      waiting.set(id, { resolve: (result) => resolve(result as T), reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
}

async function launchWebKit(): Promise<OtherBrowser> {
  const lifecycle = createLifecycle();
  try {
    const screen = start(programs.xvfb.find(), ["-displayfd", "1", "-screen", "0", "1280x800x24"], {});
    lifecycle.atEnd(() => end(screen));
    const display = `:${await said(screen.stdout, /^(\d+)$/)}`;
    const port = await findFreePort();
    const driver = start(programs.webkit.find(), [`--port=${port}`], { DISPLAY: display });
    lifecycle.atEnd(() => end(driver));
    const base = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${base}/status`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, "the driver of WebKit answers");
    const call = async (method: "POST" | "DELETE", below: string, body?: object) => {
      const answer = await fetch(base + below, { method, ...(body && { body: JSON.stringify(body) }) });
      const { value } = (await answer.json()) as { value: { sessionId: string; message: string } };
      if (!answer.ok) throw new Error(value.message);
      return value as unknown;
    };
    const { sessionId } = (await call("POST", "/session", { capabilities })) as { sessionId: string };
    const session = `/session/${sessionId}`;
    lifecycle.atEnd(() => call("DELETE", session));
    return {
      async open(url) {
        await call("POST", `${session}/url`, { url });
      },
      async run(code, ...texts) {
        const script = `return (${asJson(code)})(...arguments)`;
        return JSON.parse(String(await call("POST", `${session}/execute/sync`, { script, args: texts })));
      },
      close: () => lifecycle.end(),
    };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}

function start(program: string | undefined, args: readonly string[], env: Record<string, string>) {
  return spawn(program ?? "", args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

/** The first group of the first line that matches. What follows is read and dropped, so that the program never waits. */
function said(output: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output);
    lines.on("line", (line) => {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    lines.on("close", () => reject(new Error(`the program ended without saying ${pattern}`)));
  });
}
