import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { createSystemRandom } from "../../../platform/random.js";
import { type BenchDevice, createLoadClients, newText } from "../load-clients.js";
import { closeStreams, openStreams, plainly } from "../streams.js";
import { openWire, requestText, type Wire } from "../wire.js";
import type { ServedRelay } from "./served.js";

/** The day of a small community. */
export interface Day {
  people: number;
  devicesEach: number;
  /** Texts that each person writes. */
  textsEach: number;
  /** Devices that a text goes to, each with a message of its own. */
  groupDevices: number;
  /** How long the day takes here. The relay's clock is not moved. */
  seconds: number;
}

/** What came of it. Memory in bytes, each second. */
export interface DayResult {
  messages: number;
  received: number;
  /** Times that a device came back and emptied its queue. */
  returns: number;
  memory: number[];
}

const random = createSystemRandom();
const onlinePart = 0.6;
const comingAndGoingMillis = 1_000;
const wrongRequestMillis = 5_000;
const samplingMillis = 1_000;
const settleMillis = 3_000;

/**
 * Plays the day: texts in batches at a steady rate; devices that come and go, and take what waited for them; a request now
 * and then that is refused; and people who read the contract's page and documents.
 */
export async function playDay(relay: ServedRelay, day: Day): Promise<DayResult> {
  const devices = await createLoadClients(relay.port, day.people * day.devicesEach);
  const until = performance.now() + day.seconds * 1000;
  const result: DayResult = { messages: 0, received: 0, returns: 0, memory: [] };
  const play = { relay, devices, until, result };
  const streams = await openAll(play, Math.floor(devices.length * onlinePart));
  await Promise.all([sendTexts(play, day), comeAndGo(play, streams), ask(play), sample(play)]);
  for (const device of devices) if (!streams.has(device)) await connect(play, streams, device);
  await sleep(settleMillis);
  await closeStreams([...streams.values()]);
  return result;
}

interface Play {
  relay: ServedRelay;
  devices: readonly BenchDevice[];
  until: number;
  result: DayResult;
}

type Streams = Map<BenchDevice, WebSocket>;

async function openAll(play: Play, count: number): Promise<Streams> {
  const streams: Streams = new Map();
  for (const device of play.devices.slice(0, count)) await connect(play, streams, device);
  return streams;
}

async function connect({ relay, result }: Play, streams: Streams, device: BenchDevice): Promise<void> {
  const opened = await openStreams(plainly(relay.port), [device], () => {
    result.received++;
  });
  for (const socket of opened) streams.set(device, socket);
}

async function sendTexts(play: Play, { people, textsEach, groupDevices, seconds }: Day): Promise<void> {
  const wire = await openWire(play.relay.port);
  const texts = people * textsEach;
  const begun = play.until - seconds * 1000;
  for (let text = 0; text < texts; text++) {
    await sleep(Math.max(0, begun + (text / texts) * seconds * 1000 - performance.now()));
    const sender = pick(play.devices);
    const first = Math.floor(random.fraction() * play.devices.length);
    const to = Array.from({ length: groupDevices }, (_, i) => at(play.devices, first + i));
    const json = `{"messages":[${to.map((one) => newText(one).text).join(",")}]}`;
    await expectStatus(wire, 202, requestText("POST", "/v1/messages/batch", { token: sender.token, json }));
    play.result.messages += groupDevices;
  }
  wire.close();
}

async function comeAndGo(play: Play, streams: Streams): Promise<void> {
  while (performance.now() < play.until) {
    await sleep(comingAndGoingMillis);
    const device = pick(play.devices);
    const socket = streams.get(device);
    if (socket === undefined) {
      play.result.returns++;
      await connect(play, streams, device);
    } else {
      streams.delete(device);
      await closeStreams([socket]);
    }
  }
}

/** Requests that are no messages: wrong ones, and for what the relay shows of itself. */
async function ask({ relay, devices, until }: Play): Promise<void> {
  const wire = await openWire(relay.port);
  const { token } = at(devices, 0);
  for (const path of ["/openapi.json", "/asyncapi.json", "/docs", "/.well-known/mls-relay", "/"]) {
    await wire.ask(requestText("GET", path));
  }
  const wrong = ["/v1/messages", "/v1/messages/batch", "/v1/messages/ack"];
  for (let turn = 0; performance.now() < until; turn++) {
    await sleep(wrongRequestMillis);
    const path = wrong[turn % wrong.length] ?? "";
    await expectStatus(wire, 400, requestText("POST", path, { token, body: { wrong: turn } }));
  }
  wire.close();
}

async function sample({ relay, until, result }: Play): Promise<void> {
  while (performance.now() < until) {
    await sleep(samplingMillis);
    const bytes = await relay.memory();
    if (bytes !== null) result.memory.push(bytes);
  }
}

async function expectStatus(wire: Wire, status: number, request: string): Promise<void> {
  const answer = await wire.ask(request);
  if (answer.status !== status) throw new Error(`a request was answered by ${answer.status}: ${answer.body}`);
}

function pick(devices: readonly BenchDevice[]): BenchDevice {
  return at(devices, Math.floor(random.fraction() * devices.length));
}

function at(devices: readonly BenchDevice[], index: number): BenchDevice {
  return devices[index % devices.length] as BenchDevice;
}
