import { fillTables } from "./marked-tables.js";

// The tables of docs/explanation/scale.md, made from the figures below; the text around them is written by hand. After
// another measurement, change the figures, run `npm run generate`, and read the text again.

/** What was measured, for ciphertexts of 1,024 bytes. */
const measured = {
  relayMicros: {
    value: 130,
    unit: "µs",
    meaning: "processor time of the relay for a message sent, pushed and acknowledged",
  },
  databaseMicros: { value: 68, unit: "µs", meaning: "processor time of PostgreSQL for the same" },
  writtenAheadBytes: { value: 2_200, unit: "bytes", meaning: "written to PostgreSQL's log (WAL) for the same" },
  queuedBytes: { value: 1_600, unit: "bytes", meaning: "on disk for a message that waits, with its indexes" },
  keyBytes: {
    value: 84,
    unit: "bytes",
    meaning: "on disk for recognising a repetition, for each message of the retention period",
  },
  deviceBytes: { value: 1_900, unit: "bytes", meaning: "on disk for a device, its address and its counters" },
  streamBytes: { value: 18_000, unit: "bytes", meaning: "memory for an idle stream, without what the kernel keeps" },
  relayBytes: { value: 100_000_000, unit: "bytes", meaning: "memory of a relay process without streams" },
  streamsPerProcess: {
    value: 20_000,
    unit: "",
    meaning: "streams of a relay process: the most that were tried at once",
  },
  distributedFactor: { value: 4, unit: "times", meaning: "processor time of the database when it is distributed" },
} as const;

/** What is assumed of people and machines. */
const assumed = {
  messagesPerDay: { value: 50, unit: "", meaning: "messages that a device receives in a day" },
  peak: { value: 4, unit: "times", meaning: "the busiest minute, compared with the average" },
  usedShare: { value: 0.5, unit: "", meaning: "of a processor, at the peak" },
  online: { value: 0.4, unit: "", meaning: "of the devices hold a stream at the peak" },
  waiting: { value: 20, unit: "", meaning: "messages in a queue, on average over all devices" },
  retentionDays: { value: 30, unit: "days", meaning: "for which repetitions are recognised" },
  diskFactor: { value: 3, unit: "times", meaning: "disk for each byte of tables: dead rows, log, room to grow" },
  logPerMachine: {
    value: 300,
    unit: "MB/s",
    meaning: "of log that a machine for the database writes, and its standby takes",
  },
  diskPerMachine: { value: 8, unit: "TB", meaning: "of local flash in it" },
  coresPerMachine: { value: 32, unit: "cores", meaning: "of a large machine for the database" },
  euroPerCore: { value: 12, unit: "€", meaning: "a core with 4 GB of memory, for a month" },
  euroPerTerabyte: { value: 90, unit: "€", meaning: "a terabyte of local flash, for a month" },
  copies: { value: 2, unit: "", meaning: "of the database: a primary and a synchronous standby" },
} as const;

type Figures = Readonly<Record<string, { value: number; unit: string; meaning: string }>>;
const sizes = [10_000, 1_000_000, 100_000_000];
const daySeconds = 86_400;
const plain = <T extends Figures>(figures: T) =>
  Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value])) as Record<keyof T, number>;

/** Machines, memory and disk for a number of devices, from the measured and the assumed figures. */
function sizeFor(devices: number) {
  const [cost, habit] = [plain(measured), plain(assumed)];
  const perDay = devices * habit.messagesPerDay;
  const average = perDay / daySeconds;
  const atPeak = average * habit.peak;
  const busy = (micros: number) => (atPeak * micros) / 1e6 / habit.usedShare;
  const disk =
    (devices * (habit.waiting * cost.queuedBytes + cost.deviceBytes) + perDay * habit.retentionDays * cost.keyBytes) *
    habit.diskFactor;
  const log = (atPeak * cost.writtenAheadBytes) / 1e6;
  const machinesFor = (cores: number) =>
    Math.ceil(Math.max(cores / habit.coresPerMachine, log / habit.logPerMachine, disk / (habit.diskPerMachine * 1e12)));
  const isDistributed = machinesFor(busy(cost.databaseMicros)) > 1;
  const databaseCores = busy(cost.databaseMicros) * (isDistributed ? cost.distributedFactor : 1);
  const databaseMachines = habit.copies * machinesFor(databaseCores);
  const streams = devices * habit.online;
  const relayCores = busy(cost.relayMicros);
  const processes = Math.max(2, Math.ceil(relayCores), Math.ceil(streams / cost.streamsPerProcess));
  const paidCores = processes + Math.max(databaseMachines, habit.copies * Math.ceil(databaseCores));
  return {
    ...{
      devices,
      average,
      atPeak,
      relayCores,
      processes,
      databaseCores,
      databaseMachines,
      isDistributed,
      streams,
      disk,
      log,
    },
    memory: streams * cost.streamBytes + processes * cost.relayBytes,
    euros: paidCores * habit.euroPerCore + (habit.copies * disk * habit.euroPerTerabyte) / 1e12,
  };
}

/** What one machine for the database carries, by the resource that runs out. */
function machineSentence(): string {
  const { databaseMicros, writtenAheadBytes } = plain(measured);
  const { coresPerMachine, usedShare, logPerMachine } = plain(assumed);
  const byCores = short.format((coresPerMachine * usedShare * 1e6) / databaseMicros);
  const byLog = short.format((logPerMachine * 1e6) / writtenAheadBytes);
  return `One machine for the database carries some ${byLog} messages a second by its log, and ${byCores} by its cores.`;
}

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 2 });

function figuresTable(figures: Figures): string {
  const rows = Object.values(figures).map(
    ({ value, unit, meaning }) =>
      `| ${whole.format(value) === "0" || value < 1 ? value : whole.format(value)} ${unit} | ${meaning} |`,
  );
  return ["| figure | meaning |", "|---|---|", ...rows.map((row) => row.replace("  |", " |"))].join("\n");
}

function bytes(value: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${short.format(value / 1000 ** step)} ${units[step]}`;
}

function sizesTable(): string {
  const all = sizes.map(sizeFor);
  type Size = (typeof all)[number];
  const row = (name: string, show: (size: Size) => string) => `| ${name} | ${all.map(show).join(" | ")} |`;
  return [
    `| | ${all.map(({ devices }) => `${whole.format(devices)} devices`).join(" | ")} |`,
    `|---|${all.map(() => "---|").join("")}`,
    row(
      "messages a second, average and peak",
      ({ average, atPeak }) => `${short.format(average)}, ${short.format(atPeak)}`,
    ),
    row("cores for relays", ({ relayCores }) => short.format(relayCores)),
    row("processes of the relay", ({ processes }) => whole.format(processes)),
    row(
      "cores for the database",
      ({ databaseCores, isDistributed }) => `${short.format(databaseCores)}${isDistributed ? ", distributed" : ""}`,
    ),
    row("machines for the database, standbys included", ({ databaseMachines }) => whole.format(databaseMachines)),
    row("streams at the peak", ({ streams }) => whole.format(streams)),
    row("memory for relays", ({ memory }) => bytes(memory)),
    row("disk for the database, one copy", ({ disk }) => bytes(disk)),
    row("log written at the peak", ({ log }) => `${short.format(log)} MB/s`),
    row("money a month", ({ euros }) => `€${short.format(euros)}`),
  ].join("\n");
}

const tables: Readonly<Record<string, () => string>> = {
  measured: () => figuresTable(measured),
  assumed: () => figuresTable(assumed),
  sizes: sizesTable,
  machine: machineSentence,
};

/** The page with its tables computed from the figures. */
export function withScaleTables(page: string): string {
  return fillTables(page, tables);
}
