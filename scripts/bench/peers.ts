import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { constantsEnvironment } from "../../src/composition/config.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { type BenchEnvironment, type Measured, roomyConstants } from "./environment.js";
import { type BenchDevice, createLoadClients } from "./load-clients.js";

/** A sending and a receiving relay, each with a separate database. */
export interface Peers {
  /** Uses plain HTTP for devices. */
  sender: Measured;
  /** The receiver's TLS address. */
  port: number;
  domain: string;
  /** The authority of all certificates, PEM. */
  ca: string;
  /** What a server needs to speak TLS as localhost. */
  credentials: { certFile: string; keyFile: string };
  senders: BenchDevice[];
  local: BenchDevice[];
  remote: BenchDevice[];
  receiverDatabase: string;
  senderDatabase: string;
  /** Stops the receiver, or starts it again. */
  stopReceiver(): Promise<void>;
  startReceiver(): Promise<Measured>;
  end(): Promise<void>;
}

const recipients = 64;

/** Limits that are not measured are set out of reach; the sender's own batches have their normal size. */
const roomy = {
  FEDERATION_ALLOW_PRIVATE: "true",
  FEDERATION_MESSAGES_PER_MINUTE: "10000000",
  FEDERATION_TRANSACTIONS_PER_MINUTE: "1000000",
  FEDERATION_BYTES_PER_MINUTE: "1099511627776",
  ...constantsEnvironment({ ...roomyConstants, federationAllowAnyPort: true, outboxMaxBackoffSeconds: 1 }),
};

export async function openPeers(environment: BenchEnvironment, senderCount: number): Promise<Peers> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-bench-peers-"));
  const authority = await createTestAuthority(new Date(performance.timeOrigin + performance.now()));
  const { cert, key } = await authority.issue({ hosts: ["localhost"] });
  const [caFile, certFile, keyFile] = ["ca.pem", "cert.pem", "key.pem"].map((name) => path.join(folder, name));
  const files = { caFile: caFile ?? "", certFile: certFile ?? "", keyFile: keyFile ?? "" };
  await Promise.all([
    writeFile(files.caFile, authority.cert),
    writeFile(files.certFile, cert),
    writeFile(files.keyFile, key),
  ]);
  const port = await findFreePort();
  const domain = `localhost:${port}`;
  const trust = { FEDERATION_CA_FILE: files.caFile, ...roomy };
  const [senderDatabase, receiverDatabase] = [
    await environment.createDatabase("peer_a"),
    await environment.createDatabase("peer_b"),
  ];
  const receiving = {
    ...trust,
    ...{ PORT: String(port), DOMAIN: domain, BASE_URL: `https://${domain}` },
    ...{ TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile },
  };
  // The certificates name localhost, which needs no port that listens.
  const own = { DOMAIN: "localhost:1", BASE_URL: "https://localhost:1" };
  const shown = { FEDERATION_CERT_FILE: files.certFile, FEDERATION_KEY_FILE: files.keyFile };
  const sender = await environment.startRelay(senderDatabase, { ...trust, ...own, ...shown });
  let receiver = await environment.startRelay(receiverDatabase, receiving);
  const clients = await createLoadClients(sender.port, senderCount + recipients, { domain: own.DOMAIN });

  return {
    ...{ sender, port, domain, ca: authority.cert, credentials: files, senderDatabase, receiverDatabase },
    senders: clients.slice(recipients),
    local: clients.slice(0, recipients),
    remote: await createLoadClients(port, recipients, { domain, ca: authority.cert }),
    stopReceiver: () => receiver.stop(),
    async startReceiver() {
      receiver = await environment.startRelay(receiverDatabase, receiving);
      return receiver;
    },
    async end() {
      await Promise.all([sender.stop(), receiver.stop()]);
      await rm(folder, { recursive: true });
    },
  };
}
