import { randomBytes } from "node:crypto";
import { constantsEnvironment } from "../../src/composition/config.js";
import { encodeBase64 } from "../../src/protocol/encodings.js";
import { takingKeyFrom } from "../../src/protocol/taking-key.js";
import { gibibyte } from "../../src/protocol/units.js";
import { type BenchEnvironment, type Measured, roomyConstants } from "./environment.js";
import { openConnection, requestText } from "./http-connection.js";
import { type BenchDevice, createLoadClients, newText, newTextToMany } from "./load-clients.js";
import { type Report, table } from "./report.js";
import { driveInTurns, median, type TurnProfile } from "./turns.js";

const connections = 8;
const groups = [10, 50] as const;
const contentBytes = 1_024;
const constants = {
  ...roomyConstants,
  newTierSlotsPerHour: 1_000_000,
  newTierSlotBytesPerHour: gibibyte,
  newTierSlotStorageShare: 1,
};

/** What a commit costs, in microseconds of processor time. */
interface Cost {
  relay: number;
  database: number;
}

/** The messages of a commit, with and without taking the slot of its epoch, in turns; and taking slots alone. */
export async function measureSlots(
  environment: BenchEnvironment,
  profile: TurnProfile,
  say: (line: string) => void,
): Promise<Report> {
  const target = await environment.startRelay(
    await environment.createDatabase("slots"),
    constantsEnvironment(constants),
  );
  const clients = await createLoadClients(target.port, Math.max(...groups) + connections);
  const senders = clients.slice(0, connections);
  const relay = await slotRelayOf(target);
  const drive = (requestsOf: Commits["requestsOf"]) => (time: Pick<Commits, "warmUpSeconds" | "seconds">) =>
    runCommits(target, { senders, requestsOf, ...time });
  const rows: string[][] = [];
  const result: Record<string, unknown> = {};
  for (const members of groups) {
    const to = clients.slice(connections, connections + members - 1);
    for (const [form, messages] of Object.entries(forms)) {
      say(`a commit to ${to.length} others, ${form}, with and without its slot, in turns`);
      const driven = await driveInTurns(
        {
          alone: drive((by) => [messages(by, to)]),
          both: drive((by) => [slotRequest(by, relay), messages(by, to)]),
          slot: drive((by) => [slotRequest(by, relay)]),
        },
        profile,
      );
      const parts = driven.both.map((cost, turn) => sumOf(cost) / sumOf(driven.alone[turn]));
      const [alone, both, put] = [medianCost(driven.alone), medianCost(driven.both), medianCost(driven.slot)];
      rows.push([`${to.length} others, ${form}`, shown(alone), shown(both), shown(put), median(parts).toFixed(2)]);
      result[`${form} to ${to.length}`] = { alone, both, slot: put, part: median(parts), parts };
    }
  }
  await target.stop();
  const head = ["a commit to", "its messages", "with its slot", "a slot alone", "as a part of the messages"];
  const note = "Processor time of relay and PostgreSQL in microseconds.";
  return { text: `${table(head, rows)}\n${note}`, result: { slots: result } };
}

function sumOf(cost: Cost | undefined): number {
  return cost === undefined ? Number.NaN : cost.relay + cost.database;
}

function medianCost(costs: readonly Cost[]): Cost {
  return { relay: median(costs.map(({ relay }) => relay)), database: median(costs.map(({ database }) => database)) };
}

function shown({ relay, database }: Cost): string {
  return `${relay.toFixed(0)} + ${database.toFixed(0)}`;
}

type Messages = (by: BenchDevice, to: readonly BenchDevice[]) => string;

/** One ciphertext for all, or one for each recipient. */
const forms: Readonly<Record<string, Messages>> = {
  "one message to many": ({ token }, to) =>
    requestText("POST", "/v1/messages/multi", { token, json: newTextToMany(to) }),
  "a message for each": ({ token }, to) =>
    requestText("POST", "/v1/messages/batch", {
      token,
      json: `{"messages":[${to.map((device) => newText(device)).join(",")}]}`,
    }),
};

/** The key is regenerated, as it is in every epoch. */
function slotRequest({ token }: BenchDevice, { key, domain }: { key: string; domain: string }): string {
  const content = new Uint8Array(randomBytes(contentBytes));
  const { slot, sign } = takingKeyFrom(new Uint8Array(randomBytes(32)), domain);
  const body = { content: encodeBase64(content), slot_key: key, ...sign(content) };
  return requestText("PUT", `/v1/slots/${slot}`, { token, body });
}

async function slotRelayOf({ port }: Measured): Promise<{ key: string; domain: string }> {
  const connection = await openConnection(port);
  const { body } = await connection.ask(requestText("GET", "/.well-known/svc"));
  connection.close();
  const { slots, server } = JSON.parse(body) as { slots: { key: string }; server: string };
  return { key: slots.key, domain: server };
}

interface Commits {
  senders: readonly BenchDevice[];
  requestsOf(by: BenchDevice): readonly string[];
  warmUpSeconds: number;
  seconds: number;
}

/** Each sender has its own connection and makes one commit after another. */
async function runCommits(target: Measured, { senders, requestsOf, warmUpSeconds, seconds }: Commits): Promise<Cost> {
  let done = 0;
  let over = false;
  const working = senders.map(async (sender) => {
    const connection = await openConnection(target.port);
    while (!over) {
      for (const request of requestsOf(sender)) {
        const { status, body } = await connection.ask(request);
        if (status >= 300) throw new Error(`the relay has answered ${status}: ${body}`);
      }
      done += 1;
    }
    connection.close();
  });
  const pass = (time: number) =>
    Promise.race([...working, new Promise((resolve) => setTimeout(resolve, time * 1_000))]);
  const spent = async () => ({ relay: await target.cpuMicros(), database: await target.databaseCpuMicros() });
  await pass(warmUpSeconds);
  const [before, from] = [await spent(), done];
  await pass(seconds);
  const [after, count] = [await spent(), done - from];
  over = true;
  await Promise.all(working);
  return { relay: (after.relay - before.relay) / count, database: (after.database - before.database) / count };
}
