import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestAuthority, type TestAuthority, type TestCredential } from "../../scripts/test-ca/authority.js";
import { createLogger } from "../../src/platform/logger.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

let authority: TestAuthority;
let folder: string;
let relay: TestRelay;
let first: TestCredential;
const logged: string[] = [];

beforeAll(async () => {
  authority = await createTestAuthority(new Date());
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-tls-"));
  first = await authority.issue({ hosts: ["localhost"] });
  await write(first);
  await chmod(file("key"), 0o644);
  const destination = { write: (line: string) => void logged.push(line) };
  const files = { tlsCertFile: file("cert"), tlsKeyFile: file("key"), tlsHandshakesAtOnce: 3, tlsHandshakeSeconds: 2 };
  relay = await startRelay(files, { logger: createLogger({ level: "warn", destination }) });
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

const file = (name: string) => path.join(folder, `${name}.pem`);
const write = async (credential: Partial<TestCredential>): Promise<void> => {
  if (credential.cert !== undefined) await writeFile(file("cert"), credential.cert);
  if (credential.key !== undefined) await writeFile(file("key"), credential.key);
};
const dial = async (options: object = {}): Promise<TLSSocket> => {
  const port = Number(new URL(relay.url).port);
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert, ...options });
  await once(socket, "secureConnect");
  return socket;
};
const serialShown = async (): Promise<string> => {
  const socket = await dial();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber.toLowerCase();
};
const ask = async (socket: TLSSocket): Promise<string> => {
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [answer] = await once(socket, "data");
  return String(answer).split("\r\n")[0] ?? "";
};

it("a relay with a certificate speaks TLS 1.3 and nothing older", async () => {
  const socket = await dial();
  expect(socket.getProtocol()).toBe("TLSv1.3");
  expect(await ask(socket)).toBe("HTTP/1.1 200 OK");
  socket.destroy();
  await expect(dial({ maxVersion: "TLSv1.2" })).rejects.toThrow(/protocol version/i);
});

it("a key that others can read is served with, and the log says so", () => {
  const warning = logged.find((line) => line.includes("can be read by others"));
  expect(JSON.parse(warning ?? "{}")).toMatchObject({ variable: "TLS_KEY_FILE", remedy: `chmod 600 ${file("key")}` });
});

it("handshakes that do not go on keep others out only as long as they may take", async () => {
  const port = Number(new URL(relay.url).port);
  const silent = Array.from({ length: 3 }, () => connectPlain({ port, host: "127.0.0.1" }));
  const ends = silent.map((socket) => once(socket.on("error", () => undefined).resume(), "close"));
  await Promise.all(silent.map((socket) => once(socket, "connect")));
  await expect(dial()).rejects.toThrow(/disconnected|ECONNRESET/);
  await Promise.all(ends);
  const socket = await dial();
  expect(await ask(socket)).toBe("HTTP/1.1 200 OK");
  socket.destroy();
});

it("the network with most handshakes loses its oldest one when another network comes", async () => {
  const port = Number(new URL(relay.url).port);
  const silent = Array.from({ length: 3 }, () => connectPlain({ port, host: "127.0.0.1" }));
  const ends = silent.map((socket) => once(socket.on("error", () => undefined).resume(), "close"));
  await Promise.all(silent.map((socket) => once(socket, "connect")));
  for (const localAddress of ["127.0.0.2", "127.0.0.3"]) {
    const socket = await dial({ localAddress });
    expect(await ask(socket)).toBe("HTTP/1.1 200 OK");
    socket.destroy();
  }
  await Promise.all(ends);
});

it("another certificate is shown as soon as the files hold it with its key, and open connections go on", async () => {
  const open = await dial();
  const second = await authority.issue({ hosts: ["localhost"] });
  await write({ cert: second.cert });
  const complaint = "changed files cannot be used";
  await until(async () => logged.some((line) => line.includes(complaint)), "the certificate without its key is seen");
  expect(await serialShown()).toBe(first.serial.toLowerCase());
  await write({ key: second.key });
  await until(async () => (await serialShown()) === second.serial.toLowerCase(), "the new certificate is shown");
  expect(await ask(open)).toBe("HTTP/1.1 200 OK");
  open.destroy();
  await expect(dial({ maxVersion: "TLSv1.2" })).rejects.toThrow(/protocol version/i);
});
