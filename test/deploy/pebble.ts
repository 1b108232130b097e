import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { programs } from "../support/programs.js";

/** A real ACME server (RFC 8555) on loopback. */
export interface Pebble {
  directory: string;
  /** PEM file of the authority of the server's own HTTPS, for NODE_EXTRA_CA_CERTS. */
  caFile: string;
  /** PEM of the authority that it issues certificates from. */
  issuer(): Promise<string>;
  stop(): Promise<void>;
}

/** It validates challenges at `httpPort` of the addresses that `dnsServer` gives, and certificates last for `lifetimeSeconds`. */
export async function startPebble(given: {
  folder: string;
  httpPort: number;
  dnsServer: string;
  lifetimeSeconds: number;
}): Promise<Pebble> {
  const { folder, httpPort, dnsServer, lifetimeSeconds } = given;
  const authority = await createTestAuthority(new Date());
  const { cert, key } = await authority.issue({ hosts: ["localhost"], key: "p256" });
  const file = (name: string): string => join(folder, name);
  await writeFile(file("pebble-ca.pem"), authority.cert);
  await writeFile(file("pebble.pem"), cert);
  await writeFile(file("pebble.key"), key, { mode: 0o600 });
  const [port, managementPort] = [await findFreePort(), await findFreePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file("pebble.pem"),
    privateKey: file("pebble.key"),
    httpPort,
    tlsPort: await findFreePort(),
    certificateValidityPeriod: lifetimeSeconds,
  };
  await writeFile(file("pebble.json"), JSON.stringify({ pebble }));
  const env = { PATH: process.env["PATH"] ?? "", PEBBLE_VA_NOSLEEP: "1" };
  const args = ["-config", file("pebble.json"), "-dnsserver", dnsServer];
  const child = spawn(programs.pebble.find() ?? "pebble", args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const exited = once(child, "exit");
  for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (text) => (log += text));
  while (!log.includes("ACME directory available") && !log.includes("Listening on")) {
    const ended = await Promise.race([once(child.stdout, "data").then(() => false), exited.then(() => true)]);
    if (ended) throw new Error(`pebble ended:\n${log}`);
  }
  return {
    directory: `https://localhost:${port}/dir`,
    caFile: file("pebble-ca.pem"),
    issuer: () => fetchText(`https://localhost:${managementPort}/roots/0`, authority.cert),
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function fetchText(url: string, ca: string): Promise<string> {
  for (;;) {
    const text = await ask(url, ca).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNREFUSED") throw error;
    });
    if (text !== undefined) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function ask(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => {
        text += more;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end();
  });
}
