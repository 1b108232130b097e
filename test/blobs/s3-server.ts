import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { programs } from "../support/programs.js";
import { until } from "../support/until.js";

/** Versitygw, an S3 server that keeps objects in a folder, with one bucket. */
export interface S3Server {
  url: string;
  bucket: string;
  /** Where its credentials are for the SDK. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string; AWS_REGION: string };
  client: S3Client;
  /** The names of the objects of the bucket. */
  objects(): Promise<string[]>;
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-s3-"));
  const bucket = "blobs";
  await mkdir(path.join(folder, "data", bucket), { recursive: true });
  await mkdir(path.join(folder, "attributes"));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { AWS_ACCESS_KEY_ID: "relay", AWS_SECRET_ACCESS_KEY: "a secret of tests", AWS_REGION: "us-east-1" };
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint: url, region: env.AWS_REGION, forcePathStyle: true, credentials });
  let child: ChildProcess | undefined;
  const server: S3Server = {
    url,
    bucket,
    env,
    client,
    async objects() {
      const names = await readdir(path.join(folder, "data", bucket), { recursive: true });
      return names.filter((name) => /^[^.]+$/.test(name));
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    async start() {
      const args = ["--port", `127.0.0.1:${port}`, "--quiet", "--health", "/health"];
      // Attributes beside the objects: not every file system has them.
      const storage = ["posix", "--sidecar", path.join(folder, "attributes"), path.join(folder, "data")];
      child = spawn(programs.versitygw.find() ?? "", [...args, ...storage], {
        stdio: "ignore",
        env: { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
      });
      const answers = () => fetch(`${url}/health`).then(({ status }) => status === 200);
      await until(() => answers().catch(() => false), "the S3 server answers");
    },
    async stop() {
      client.destroy();
      await server.kill();
      await rm(folder, { recursive: true });
    },
  };
  await server.start();
  return server;
}

/** A proxy in front of the server, which can lose it and answers 404 then. */
export async function startS3Proxy(to: string): Promise<{ url: string; lose(isLost: boolean): void; stop(): void }> {
  let lost = false;
  const server = createServer((asked, answer) => {
    if (lost) {
      asked.resume();
      answer.writeHead(404).end();
      return;
    }
    const { method, headers, url } = asked;
    const forwarded = request(`${to}${url}`, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    asked.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose(isLost) {
      lost = isLost;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
