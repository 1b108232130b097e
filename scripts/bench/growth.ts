import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Connection, openConnection } from "../../src/database/pool/connection.js";
import type { BenchEnvironment } from "./environment.js";
import { type Load, runLoad } from "./load.js";
import { millis, type Report, rate, table } from "./report.js";
import { openLoads, type Profile } from "./sends.js";
import { measurePush } from "./streams.js";
import { driveInTurns, median } from "./turns.js";

/** What is in the database beside what is measured. */
interface Filling {
  devices: number;
  /** Messages that wait, each in the queue of another device while there are enough. */
  messages: number;
}

const turns = 3;
const steadyRates = [300, 1_000];
const steadyConnections = 64;

/** What is measured of a relay, by name: the less, the better. */
type Figures = Readonly<Record<string, number>>;

/** The same measures on a database that is nearly empty, and on one that holds much, in turns. */
export async function measureGrowth(
  environment: BenchEnvironment,
  { profile, filling }: { profile: Profile; filling: Filling },
  say: (line: string) => void,
): Promise<Report> {
  const open = async (name: string) => {
    const databaseUrl = await environment.createDatabase(name);
    return { databaseUrl, load: (await openLoads(environment, profile, databaseUrl)).single };
  };
  const [few, many] = [await open("few"), await open("many")];
  say(`filling: ${filling.devices.toLocaleString("en")} devices, ${filling.messages.toLocaleString("en")} messages`);
  const begun = performance.now();
  const bytes = await fill(many.databaseUrl, filling);
  const fillingSeconds = (performance.now() - begun) / 1000;
  say("sends and pushes, in turns: few rows, many rows");
  const driven = await driveInTurns(
    { few: (time) => measure({ ...few.load, ...time }), many: (time) => measure({ ...many.load, ...time }) },
    { ...profile, turns, turnSeconds: profile.seconds },
  );
  await few.load.target.stop();
  await many.load.target.stop();
  const figures = Object.keys(driven.few[0] ?? {}).map((name) => {
    const of = (side: readonly Figures[]) => median(side.map((one) => one[name] ?? Number.NaN));
    const ratio = median(driven.few.map((one, turn) => (driven.many[turn]?.[name] ?? Number.NaN) / (one[name] ?? 0)));
    return { name, few: of(driven.few), many: of(driven.many), ratio };
  });
  const text = (name: string, value: number) =>
    name.endsWith("a second") ? rate(value) : name.endsWith("µs") ? `${Math.round(value)} µs` : millis(value);
  const rows = figures.map((one) => [
    one.name,
    text(one.name, one.few),
    text(one.name, one.many),
    `${one.ratio.toFixed(2)} times`,
  ]);
  const held = `${filling.devices.toLocaleString("en")} devices, ${filling.messages.toLocaleString("en")} messages that wait`;
  return {
    text: `${held}: ${(bytes / 1e9).toFixed(1)} GB, filled in ${Math.round(fillingSeconds)} s.\n\n${table(["measure", "few rows", "many rows", "ratio"], rows)}`,
    result: { growth: { filling, bytes, fillingSeconds, figures } },
  };
}

async function measure(load: Load): Promise<Figures> {
  const sends = await runLoad(load);
  const whole = await measurePush(load);
  const figures: Record<string, number> = {
    "sends a second": sends.perSecond,
    "sends, relay and PostgreSQL, µs": sends.server + sends.database,
    "whole way a second": whole.perSecond,
    "whole way, µs": whole.sent.server + whole.sent.database,
  };
  for (const wanted of steadyRates) {
    const push = await measurePush({ ...load, connections: steadyConnections, rate: wanted });
    figures[`${rate(wanted)}, p50`] = push.p50;
    figures[`${rate(wanted)}, p99`] = push.p99;
    figures[`${rate(wanted)}, µs`] = push.sent.server + push.sent.database;
  }
  return figures;
}

const rowsAtOnce = 10_000;
/** As long as those that a relay stores. */
const [idBytes, ciphertextBytes, signatureDigits] = [32, 1_024, 128];

const filledTables = ["devices", "addresses", "queues", "sending_windows", "messages"];

/** Fills the tables of a relay's database by COPY, and returns how large it is then. */
async function fill(databaseUrl: string, { devices, messages }: Filling): Promise<number> {
  const connection = await openConnection(databaseUrl);
  try {
    const restoreIndexes = await dropIndexes(connection, filledTables);
    const now = Math.floor(Date.now() / 1000);
    const later = now + 30 * 86_400;
    const copy = async (into: string, count: number, row: (index: number) => string): Promise<void> => {
      const lines = function* () {
        for (let from = 0; from < count; from += rowsAtOnce) {
          const length = Math.min(rowsAtOnce, count - from);
          yield Array.from({ length }, (_, i) => row(from + i)).join("");
        }
      };
      await pipeline(Readable.from(lines()), connection.copyIn(`copy ${into} from stdin`));
    };
    const id = (index: number) => scattered(index).padEnd(2 * idBytes, "0");
    const uuid = (index: number) => `${scattered(index)}${scattered(index + devices + messages)}`.slice(0, 32);
    await copy(
      "devices (device_id, public_key, registered_at, last_active)",
      devices,
      (i) => `${id(i)}\t\\\\x${id(i)}\t${now}\t${now}\n`,
    );
    await copy(
      "addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)",
      devices,
      (i) => `${uuid(i)}\t${id(i)}\tuuid\thttp://relay.bench\t${now}\t${now}\t${later}\n`,
    );
    await copy("queues (device_id, last_position, queued_messages, queued_bytes)", devices, (i) => {
      const waiting = Math.ceil((messages - i) / devices);
      return `${id(i)}\t${waiting}\t${waiting}\t${waiting * ciphertextBytes}\n`;
    });
    await copy("sending_windows (device_id)", devices, (i) => `${id(i)}\n`);
    const ciphertext = "5a".repeat(ciphertextBytes);
    const signature = "5a".repeat(signatureDigits / 2);
    const columns = "device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at";
    await copy(`messages (${columns})`, messages, (i) => {
      const position = Math.floor(i / devices) + 1;
      return `${id(i % devices)}\t${position}\t${uuid(i)}\t\\\\x${ciphertext}\t${signature}\t${now}\t${now}\t${later}\n`;
    });
    await restoreIndexes();
    await connection.run("vacuum (analyze)");
    await connection.run("checkpoint");
    const size = await connection.one<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
    return size?.bytes ?? Number.NaN;
  } finally {
    await connection.close();
  }
}

/**
 * Drops the indexes, keys and references of tables, and returns what creates them again: one sort for each index is far
 * faster than a random insert for each row.
 */
async function dropIndexes(connection: Connection, tables: readonly string[]): Promise<() => Promise<void>> {
  const definitions = await connection.rows<{ drop: string; create: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
       from pg_constraint
       where contype in ('p', 'u', 'f') and (conrelid = any(cast(:tables as regclass[])) or confrelid = any(cast(:tables as regclass[])))
       order by contype = 'f' desc`,
    { tables },
  );
  const drop = async (list: readonly { drop: string }[]) => {
    for (const one of list) await connection.run(one.drop);
  };
  await drop(definitions);
  const indexes = await connection.rows<{ drop: string; create: string }>(
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
       from pg_index where indrelid = any(cast(:tables as regclass[]))`,
    { tables },
  );
  await drop(indexes);
  return async () => {
    await connection.run("set maintenance_work_mem = '1GB'");
    // References come last: they need the keys.
    for (const one of [...indexes, ...definitions.toReversed()]) await connection.run(one.create);
  };
}

const golden = 0x9e37_79b9_7f4a_7c15n;

/** Sixteen digits that differ for each number and lie far from those of its neighbours. */
function scattered(index: number): string {
  return BigInt.asUintN(64, BigInt(index + 1) * golden)
    .toString(16)
    .padStart(16, "0");
}
