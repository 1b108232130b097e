import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
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
import { type BenchEnvironment, type Measured, roomyConstants } from "./environment.js";
import { createLoadClients } from "./load-clients.js";
import { memoryOfFamilies } from "./processes.js";
import { type Report, table } from "./report.js";
import { driveInTurns, median, type TurnProfile } from "./turns.js";

const blobBytes = 100 * mebibyte;
const partsAtOnce = 4;
const downloadsAtOnce = 50;
const lookMillis = 50;
const constants = {
  ...roomyConstants,
  newTierBlobsPerHour: 1_000_000,
  newTierBlobBytesPerDay: 1_024 * gibibyte,
  blobStorageNewTierShare: 1,
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
    const part = (rates: Record<"relay" | "floor", number[]>) =>
      median(rates.relay.map((rate, turn) => rate / (rates.floor[turn] ?? Number.NaN)));
    const result = { upload: part(uploads), download: part(downloads), memory, uploads, downloads };
    const floor = nginx === undefined ? "a bare Node.js server" : "nginx";
    const rows = [
      ["upload", shown(median(uploads.relay)), `${result.upload.toFixed(2)} of a Node.js server that writes and syncs`],
      ["download", shown(median(downloads.relay)), `${result.download.toFixed(2)} of ${floor}`],
      [`${downloadsAtOnce} downloads at once`, `${(memory / mebibyte).toFixed(0)} MiB more memory`, ""],
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

async function createUploader({ port }: Measured, content: Buffer) {
  const [device] = await createLoadClients(port, 1);
  const agent = new Agent({ keepAlive: true, maxSockets: partsAtOnce });
  const headers = { authorization: `Bearer ${device?.token}`, "content-type": "application/json" };
  let partBytes = 0;
  let parts: { bytes: Buffer; digest: string }[] = [];
  const json = async (method: string, url: string, more: Record<string, string>, body?: string) => {
    const { status, text } = await ask({ agent, port, method, path: url, headers: more }, body);
    if (status >= 300) throw new Error(`the relay has answered ${status}: ${text}`);
    return JSON.parse(text || "{}");
  };
  const upload = async () => {
    const wanted = JSON.stringify({ size: content.length, lifetime_seconds: 3_600 });
    const blob = await json("POST", "/v1/blobs", headers, wanted);
    const of = `/v1/blobs/${blob.blob_id}`;
    if (parts.length === 0) parts = divide(content, blob.part_bytes);
    partBytes = blob.part_bytes;
    const token = { "x-upload-token": blob.upload_token };
    await each(parts, async ({ bytes, digest }, part) => {
      const more = { ...token, "content-digest": digest, "content-type": "application/octet-stream" };
      const sent = { agent, port, method: "PUT", path: `${of}/parts/${part}`, headers: more };
      const { status, text } = await ask(sent, bytes);
      if (status !== 200) throw new Error(`the relay has answered ${status}: ${text}`);
    });
    await json("POST", `${of}/complete`, token);
    return { id: blob.blob_id as string, remove: () => json("DELETE", of, { "x-delete-token": blob.delete_token }) };
  };
  return {
    upload,
    uploadAndDelete: async () => (await upload()).remove(),
    /** The same bytes in the same parts. */
    uploadTo: (other: number) =>
      each(divide(content, partBytes), async ({ bytes }, part) => {
        await ask({ agent, port: other, method: "PUT", path: `/${part}`, headers: {} }, bytes);
      }),
  };
}

function divide(content: Buffer, partBytes: number) {
  return Array.from({ length: Math.ceil(content.length / partBytes) }, (_, at) => {
    const bytes = content.subarray(at * partBytes, (at + 1) * partBytes);
    return { bytes, digest: `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:` };
  });
}

async function each<T>(list: readonly T[], work: (one: T, at: number) => Promise<void>): Promise<void> {
  const left = [...list.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: partsAtOnce }, worker));
}

interface Asked {
  agent: Agent;
  port: number;
  method: string;
  path: string;
  headers: Record<string, string>;
}

async function ask(asked: Asked, body?: Buffer | string): Promise<{ status: number; text: string }> {
  const outgoing = request({ host: "127.0.0.1", ...asked });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

async function download(port: number, url: string): Promise<void> {
  const outgoing = request({ host: "127.0.0.1", port, path: url, agent: false });
  outgoing.end();
  const [response] = await once(outgoing, "response");
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (bytes !== blobBytes) throw new Error(`${response.statusCode}: ${bytes} bytes`);
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
