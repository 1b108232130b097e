import { spawn } from "node:child_process";
import type { Logger } from "./logger.js";

// The protocol of sd_notify(3): states are sent to the socket that systemd names in NOTIFY_SOCKET. Node.js has no sockets of
// that kind, so the program `systemd-notify` sends them, which is there wherever systemd is. The unit has to accept messages
// of other processes than its main one (NotifyAccess=all).

/** What started this process, if that is systemd with a unit of `Type=notify`; otherwise nothing happens. */
export interface ServiceManager {
  /** The relay serves; a repetition changes nothing. From now on, and if the unit has a watchdog, says that it is alive for as long as `isAlive`. */
  ready(status: string, isAlive?: () => boolean): Promise<void>;
  /** The relay drains and ends. */
  stopping(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const program = "systemd-notify";
/** Signs of life within the time after which the watchdog acts: one or two may come late on a busy machine. */
const signsPerTimeout = 3;

export function createServiceManager(deps: { env: Environment; logger: Logger }): ServiceManager {
  const { env, logger } = deps;
  let [isReported, isReady] = [false, false];

  const send = async (...states: string[]): Promise<void> => {
    if ((env["NOTIFY_SOCKET"] ?? "") === "") return;
    try {
      await notify(states);
      isReported = false;
    } catch (error) {
      if (!isReported) logger.warn({ err: error }, "systemd could not be notified");
      isReported = true;
    }
  };

  return {
    async ready(status, isAlive = () => true) {
      if (isReady) return;
      isReady = true;
      await send("READY=1", `STATUS=${status}`);
      const everyMillis = watchdogMillis(env) / signsPerTimeout;
      if (everyMillis === 0) return;
      setInterval(() => {
        if (isAlive()) void send("WATCHDOG=1");
      }, everyMillis).unref();
    },
    async stopping() {
      await send("STOPPING=1", "STATUS=draining");
    },
  };
}

/** How long systemd waits for a sign of life; 0 if it does not watch. */
export function watchdogMillis(env: Environment): number {
  const micros = Number(env["WATCHDOG_USEC"] ?? 0);
  return (env["NOTIFY_SOCKET"] ?? "") !== "" && micros > 0 ? micros / 1000 : 0;
}

function notify(states: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // It reads NOTIFY_SOCKET itself, and waits until systemd has taken the message.
    const child = spawn(program, states, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${signal ?? code}`));
    });
  });
}
