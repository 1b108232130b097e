import { spawn } from "node:child_process";
import type { Logger } from "../platform/logger.js";

// The protocol of sd_notify(3): states are sent to the socket that systemd names in NOTIFY_SOCKET. Node.js does not
// support such sockets, so the program `systemd-notify`, which comes with systemd, sends them. The unit must accept
// messages from processes other than its main one (NotifyAccess=all).

/**
 * The service manager that started this process: systemd with a unit of `Type=notify`. Under anything else, nothing
 * happens.
 */
export type ServiceManager = ReturnType<typeof createServiceManager>;

type Environment = Readonly<Record<string, string | undefined>>;

const program = "systemd-notify";
/** How often the process reports within the watchdog's timeout: on a busy machine one or two reports may be late. */
const signsPerTimeout = 3;

export function createServiceManager(deps: { env: Environment; logger: Logger }) {
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
    /**
     * Reports that the relay serves; repeating it changes nothing. If the unit has a watchdog, also reports from now on
     * that the process is alive, as long as `isAlive` returns true.
     */
    async ready(status: string, isAlive: () => boolean = () => true): Promise<void> {
      if (isReady) return;
      isReady = true;
      await send("READY=1", `STATUS=${status}`);
      const everyMillis = watchdogMillis(env) / signsPerTimeout;
      if (everyMillis === 0) return;
      setInterval(() => {
        if (isAlive()) void send("WATCHDOG=1");
      }, everyMillis).unref();
    },
    /** Reports that the relay is draining and will end. */
    async stopping(): Promise<void> {
      await send("STOPPING=1", "STATUS=draining");
    },
  };
}

/** How long systemd waits for a report; 0 if it does not watch. */
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
