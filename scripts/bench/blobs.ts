import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { constantsEnvironment } from "../../src/composition/config.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { gibibyte, mebibyte } from "../../src/protocol/units.js";
import { startProgram } from "../../test/proxies/programs.js";
import { programs } from "../../test/support/programs.js";
import { startServed } from "../served.js";
import { blobBytes, createUploader, download } from "./blob-client.js";
import { type BenchEnvironment, type Measured, roomyConstants } from "./environment.js";
import type { Quantiles } from "./load.js";
import { createLoadClients } from "./load-clients.js";
import { memoryOfFamilies } from "./processes.js";
import { millis, type Report, table } from "./report.js";
import { measurePush } from "./streams.js";
import { driveInTurns, median, type TurnProfile } from "./turns.js";

const downloadsAtOnce = 50;
const lookMillis = 50;
/** Messages a second that are sent alone, and beside transfers. */
const messagesPerSecond = 300;
const messengers = { senders: 50, recipients: 50, connections: 16 };
const constants = {
  ...roomyConstants,
  newTierBlobsPerHour: 1_000_000,
  newTierBlobBytesPerDay: 1_024 * gibibyte,
  blobStorageNewTierShare: 1,
  newTierBlobStorageShare: 1,
  blobStorageSiteShare: 1_000,
  crowdedBlobStorageSiteShare: 1_000,
};
const settings = {
  BLOB_BYTES_PER_DAY: String(1_024 * gibibyte),
  BLOB_BYTES_PER_IP_DAY: String(1_024 * gibibyte),
  BLOB_READ_BYTES_PER_IP_DAY: String(1_024 * gibibyte),
};

/** Uploads and downloads of 100 MiB over loopback, in turns with a server that only writes, and with nginx. */
export async function measureBlobs(
  environment: BenchEnvironment,
  profile: TurnProfile,
  say: (line: string) => void,
): Promise<Report> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-blobs-"));
  const relay = await environment.startRelay(await environment.createDatabase("blobs"), {
    ...constantsEnvironment(constants),
    ...settings,
    BLOB_DIR: path.join(folder, "blobs"),
  });
  const writer = await startServed(["--import", "tsx", fileURLToPath(new URL("blob-floor.ts", import.meta.url))], {
    env: { ...process.env, FOLDER: folder },
  });
  const nginx = await startNginx(folder);
  try {
    const content = randomBytes(blobBytes);
    await writeFile(path.join(folder, "blob"), content);
    const client = await createUploader(relay, content);
    const { id } = await client.upload();
    say("uploads of 100 MiB, in turns");
    const uploads = await driveInTurns(
      {
        relay: bytesPerSecond(() => client.uploadAndDelete()),
        floor: bytesPerSecond(() => client.uploadTo(writer.port)),
      },
      profile,
    );
    say("downloads of 100 MiB, in turns");
    const downloads = await driveInTurns(
      {
        relay: bytesPerSecond(() => download(relay.port, `/v1/blobs/${id}`)),
        floor: bytesPerSecond(() => download(nginx?.port ?? writer.port, "/blob")),
      },
      profile,
    );
    say(`${downloadsAtOnce} downloads at once`);
    const memory = await measureMemory(relay, `/v1/blobs/${id}`);
    say(`${messagesPerSecond} messages a second, alone and beside an upload and a download`);
    const messages = await measureMessages(relay, profile);
    const part = (rates: Record<"relay" | "floor", number[]>) =>
      median(rates.relay.map((rate, turn) => rate / (rates.floor[turn] ?? Number.NaN)));
    const result = { upload: part(uploads), download: part(downloads), memory, uploads, downloads, messages };
    const floor = nginx === undefined ? "a bare Node.js server" : "nginx";
    const rows = [
      ["upload", shown(median(uploads.relay)), `${result.upload.toFixed(2)} of a Node.js server that writes and syncs`],
      ["download", shown(median(downloads.relay)), `${result.download.toFixed(2)} of ${floor}`],
      [`${downloadsAtOnce} downloads at once`, `${(memory / mebibyte).toFixed(0)} MiB more memory`, ""],
      ["messages beside both, p50", millis(messages.beside.p50), `${times(messages, "p50")} of those alone`],
      ["messages beside both, p99", millis(messages.beside.p99), `${times(messages, "p99")} of those alone`],
    ];
    return { text: table(["100 MiB", "median", "compared"], rows), result: { blobs: result } };
  } finally {
    await nginx?.stop();
    await writer.stop();
    await relay.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function shown(rate: number): string {
  return `${(rate / 1e6).toFixed(0)} MB/s`;
}

/** Does it as often as the time allows, at least once. */
function bytesPerSecond(work: () => Promise<unknown>) {
  return async ({ seconds }: { seconds: number }): Promise<number> => {
    const began = performance.now();
    let done = 0;
    do {
      await work();
      done++;
    } while (performance.now() - began < seconds * 1_000);
    return (done * blobBytes * 1_000) / (performance.now() - began);
  };
}

type Latencies = Record<"alone" | "beside", Pick<Quantiles, "p50" | "p99">>;

/** From send to push, in turns: without transfers, and beside those of another process. */
async function measureMessages(target: Measured, profile: TurnProfile): Promise<Latencies> {
  const clients = await createLoadClients(target.port, messengers.senders + messengers.recipients);
  const [senders, recipients] = [clients.slice(messengers.recipients), clients.slice(0, messengers.recipients)];
  const load = { target, senders, recipients, batch: 1, connections: messengers.connections, rate: messagesPerSecond };
  const program = fileURLToPath(new URL("blob-transfers.ts", import.meta.url));
  const turns = await driveInTurns(
    {
      alone: (time) => measurePush({ ...load, ...time }),
      beside: async (time) => {
        const env = { ...process.env, RELAY_PORT: String(target.port) };
        const transfers = await startServed(["--import", "tsx", program], { env });
        return measurePush({ ...load, ...time }).finally(() => transfers.stop());
      },
    },
    profile,
  );
  const of = (side: readonly Quantiles[]) => ({
    p50: median(side.map(({ p50 }) => p50)),
    p99: median(side.map(({ p99 }) => p99)),
  });
  return { alone: of(turns.alone), beside: of(turns.beside) };
}

function times({ alone, beside }: Latencies, quantile: "p50" | "p99"): string {
  return (beside[quantile] / alone[quantile]).toFixed(1);
}

/** The most bytes of memory that the relay needs more while it serves many downloads at once. */
async function measureMemory({ pid, port }: Measured, url: string): Promise<number> {
  const before = await memoryOfFamilies([pid]);
  let most = before;
  let over = false;
  const all = Promise.all(Array.from({ length: downloadsAtOnce }, () => download(port, url)));
  const ended = all.finally(() => {
    over = true;
  });
  while (!over) {
    most = Math.max(most, await memoryOfFamilies([pid]));
    await sleep(lookMillis);
  }
  await ended;
  return most - before;
}

/** Nginx as it serves static files; undefined if it is not installed. */
async function startNginx(folder: string) {
  const program = programs.nginx.find();
  if (program === undefined) return undefined;
  const file = path.join(folder, "nginx.conf");
  const port = await findFreePort();
  const lines = [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    `pid ${folder}/nginx.pid; daemon off; worker_processes 1; error_log stderr warn; events {}`,
    `http { access_log off; sendfile on; tcp_nopush on; server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  ];
  await writeFile(file, lines.join("\n"));
  return { port, ...(await startProgram(program, ["-p", folder, "-e", "stderr", "-c", file], { folder, port })) };
}
