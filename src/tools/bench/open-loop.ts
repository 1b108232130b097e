import { setTimeout as sleep } from "node:timers/promises";
import { quantiles } from "./load.js";
import { type BenchDevice, newText } from "./load-clients.js";
import { openWire, requestText, type Wire } from "./wire.js";

// Independent clients do not wait for each other's answers: requests are sent when they are due, each on a free connection
// or on a new one. Waiting times count from when a request was due. The time between sending and answer is reported as well,
// since a client whose connections are all in use waits for itself.

export interface Flood {
  port: number;
  senders: readonly BenchDevice[];
  recipients: readonly BenchDevice[];
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** Connections that are open before it begins. */
  connections: number;
  /** The most connections; a request that finds none free waits for one, and this wait counts as well. */
  mostConnections: number;
}

export interface Flooded {
  accepted: number;
  /** Answered 503. */
  refused: number;
  /** Not answered, since the connection was reset. */
  broken: number;
  /** Milliseconds of the accepted, and of the refused, since they were due. */
  ofAccepted: Latencies;
  ofRefused: Latencies;
  /** Milliseconds of the accepted since they were sent. */
  sinceSent: Latencies;
  /** Connections that it took. */
  connections: number;
  /** Seconds from the first request to the last answer. */
  seconds: number;
}

export type Latencies = ReturnType<typeof quantiles>;

interface State {
  free: Wire[];
  wanting: ((wire: Wire) => void)[];
  opened: number;
  accepted: number[];
  refused: number[];
  sinceSent: number[];
  broken: number;
}

const lookEveryMillis = 2;
const openingAtOnce = 64;

/** Sends so many messages per second for so long, whatever happens to them, and waits for the last answer. */
export async function flood(given: Flood): Promise<Flooded> {
  const state: State = { free: [], wanting: [], opened: 0, accepted: [], refused: [], sinceSent: [], broken: 0 };
  const compose = composer(given);
  await openFirst(given, state);
  const began = performance.now();
  const under: Promise<void>[] = [];
  const total = Math.round(given.rate * given.seconds);
  while (under.length < total) {
    const due = Math.min(total, ((performance.now() - began) / 1000) * given.rate);
    while (under.length < due) {
      const one = sendOne(given, state, { text: compose(), due: began + (under.length * 1000) / given.rate });
      // Failures are reported at the end. Unhandled until then, one would end the process and leave a PostgreSQL behind.
      one.catch(() => undefined);
      under.push(one);
    }
    await sleep(lookEveryMillis);
  }
  await Promise.all(under);
  for (const wire of state.free) wire.close();
  return {
    ...{
      accepted: state.accepted.length,
      refused: state.refused.length,
      broken: state.broken,
      connections: state.opened,
    },
    ...{ ofAccepted: quantiles(state.accepted), ofRefused: quantiles(state.refused) },
    sinceSent: quantiles(state.sinceSent),
    seconds: (performance.now() - began) / 1000,
  };
}

async function openFirst(given: Flood, state: State): Promise<void> {
  while (state.opened < given.connections) {
    const some = Math.min(openingAtOnce, given.connections - state.opened);
    state.free.push(...(await Promise.all(Array.from({ length: some }, () => anotherWire(given, state)))));
  }
}

async function sendOne(given: Flood, state: State, { text, due }: { text: string; due: number }): Promise<void> {
  let wire: Wire | undefined;
  try {
    // Connections are used in turn: the server closes one that is idle for long.
    wire = state.free.shift() ?? (await anotherWire(given, state));
    const sent = performance.now();
    const answer = await wire.ask(text);
    record(state, answer, { due, sent });
    release(state, wire);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== "ECONNRESET") throw problem;
    state.broken += 1;
    state.opened -= 1;
  }
}

type Answer = { status: number; body: string };

function record(state: State, { status, body }: Answer, { due, sent }: { due: number; sent: number }): void {
  const now = performance.now();
  if (status === 503) state.refused.push(now - due);
  else if (status !== 202) throw new Error(`an unexpected answer: ${status} ${body}`);
  else {
    state.accepted.push(now - due);
    state.sinceSent.push(now - sent);
  }
}

function release(state: State, wire: Wire): void {
  const next = state.wanting.shift();
  if (next === undefined) state.free.push(wire);
  else next(wire);
}

function anotherWire({ port, mostConnections }: Flood, state: State): Promise<Wire> {
  if (state.opened >= mostConnections) return new Promise((settle) => state.wanting.push(settle));
  state.opened += 1;
  return openWire(port);
}

function composer({ senders, recipients }: Pick<Flood, "senders" | "recipients">): () => string {
  let turn = 0;
  return () => {
    const { text: json } = newText(recipients[turn % recipients.length] as BenchDevice);
    const token = senders[turn % senders.length]?.token ?? "";
    turn += 1;
    return requestText("POST", "/v1/messages", { token, json });
  };
}
