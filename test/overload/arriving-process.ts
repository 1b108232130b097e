import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { streamPath } from "../../generated/frames.js";
import { type BenchDevice, createLoadClients } from "../../scripts/bench/load-clients.js";

// A process of many clients. It is told whom to be, then to arrive, then to leave.

export interface Arriving {
  port: number;
  domain: string;
  count: number;
  /** So many streams stay open; of more, the oldest goes as soon as another one is turned away. */
  stay: number;
}

export interface Arrived {
  served: number;
  open: number;
  /** Attempts answered 503, since too many were on their way in or open. */
  turnedAway: number;
  /** Connections that the system gave up before the relay had taken them up. */
  reset: number;
  /** Requests that came too long after their connection, since this process had so much to do. */
  late: number;
}

const atOnce = 100;
const minPauseMillis = 1_000;
const morePauseMillis = 4_000;

let given: Arriving;
let devices: BenchDevice[] = [];
const open: WebSocket[] = [];
const arrived: Arrived = { served: 0, open: 0, turnedAway: 0, reset: 0, late: 0 };

process.on("message", (question: Arriving | "arrive" | "leave") => {
  if (question === "leave") void leave();
  else void (question === "arrive" ? arrive() : prepare(question)).then((answer) => process.send?.(answer));
});

async function prepare(told: Arriving): Promise<object> {
  given = told;
  devices = await createLoadClients(given.port, given.count, { domain: given.domain });
  return {};
}

async function arrive(): Promise<Arrived> {
  const opening: Promise<void>[] = [];
  for (const { token } of devices) {
    opening.push(openPatiently(token));
    // Else none of them would send its request before all of them are connected.
    if (opening.length % atOnce === 0) await nextTurn();
  }
  await Promise.all(opening);
  return { ...arrived, open: open.length };
}

async function leave(): Promise<void> {
  await Promise.all(open.map(closed));
  process.disconnect();
}

/** Comes again a little later after an attempt that failed, as clients do. */
async function openPatiently(token: string): Promise<void> {
  for (;;) {
    const problem = await tryToOpen(token);
    if (problem === null) return;
    if (problem.includes("503")) {
      arrived.turnedAway += 1;
      if (open.length >= given.stay) await closed(open.shift());
    } else if (problem.includes("ECONNRESET")) arrived.reset += 1;
    else if (problem.includes("400")) arrived.late += 1;
    else throw new Error(problem);
    await sleep(minPauseMillis + Math.random() * morePauseMillis);
  }
}

/** Gives what went wrong; null once the stream has been opened and answered. */
function tryToOpen(token: string): Promise<string | null> {
  const socket = new WebSocket(`ws://127.0.0.1:${given.port}${streamPath}`, { perMessageDeflate: false });
  return new Promise((settle) => {
    socket.once("open", () => socket.send(JSON.stringify({ type: "auth", access_token: token })));
    socket.once("message", (data: Buffer) => {
      if (JSON.parse(data.toString()).type !== "status") return settle(data.toString());
      open.push(socket);
      arrived.served += 1;
      settle(null);
    });
    socket.on("error", (error) => settle(String(error)));
    socket.once("close", (code) => settle(`closed with ${code}`));
  });
}

async function closed(socket: WebSocket | undefined): Promise<void> {
  if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
  const gone = new Promise((settle) => socket.once("close", settle));
  socket.close();
  await gone;
}
