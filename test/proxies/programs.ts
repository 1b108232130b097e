import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What a proxy is to stand in front of, and with which certificate. */
export interface Frontage {
  /** A folder of its own. */
  folder: string;
  port: number;
  relayPort: number;
  certFile: string;
  keyFile: string;
}

export interface RunningProxy {
  stop(): Promise<void>;
}

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const startTimeoutMillis = 30_000;

/** Where a program is: TEST_NGINX or TEST_CADDY, or else on the PATH; undefined where it is not installed. */
export function findProgram(name: "nginx" | "caddy"): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  const places = [process.env[`TEST_${name.toUpperCase()}`] ?? "", ...folders.map((folder) => path.join(folder, name))];
  return places.find((file) => file !== "" && isExecutable(file));
}

/** The file as it is shipped, with a test's name, ports and certificate in place of an operator's. */
export async function startNginx(program: string, frontage: Frontage): Promise<RunningProxy> {
  const { folder, port } = frontage;
  const shipped = await readFile(path.join(deploy, "nginx.conf"), "utf8");
  const site = replaceAll(shipped, [
    [/^ +listen \[::\]:(80|443).*\n/gm, ""],
    ["listen 80;", `listen 127.0.0.1:${await freePort()};`],
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["/etc/letsencrypt/live/relay.example/fullchain.pem", frontage.certFile],
    ["/etc/letsencrypt/live/relay.example/privkey.pem", frontage.keyFile],
    ["server 127.0.0.1:8080;", `server 127.0.0.1:${frontage.relayPort};`],
    [/relay\.example/g, "localhost"],
  ]);
  await writeFile(path.join(folder, "site.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/t;`,
  );
  await mkdir(path.join(folder, "t"), { recursive: true });
  const main = [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    `pid ${folder}/nginx.pid; daemon off; worker_processes 1; error_log stderr warn; events {}`,
    `http { ${temporary.join(" ")} include ${folder}/site.conf; }`,
  ];
  await writeFile(path.join(folder, "nginx.conf"), main.join("\n"));
  return start(program, ["-p", folder, "-e", "stderr", "-c", path.join(folder, "nginx.conf")], { folder, port });
}

/** Likewise; where the operator's Caddy would get a certificate, this one is given it. */
export async function startCaddy(program: string, frontage: Frontage): Promise<RunningProxy> {
  const { folder, port } = frontage;
  const shipped = await readFile(path.join(deploy, "Caddyfile"), "utf8");
  const site = replaceAll(shipped, [
    ["\nrelay.example {", `\nhttps://localhost:${port} {\n\tbind 127.0.0.1`],
    ["tls {", `tls ${frontage.certFile} ${frontage.keyFile} {`],
    ["reverse_proxy 127.0.0.1:8080", `reverse_proxy 127.0.0.1:${frontage.relayPort}`],
  ]);
  const file = path.join(folder, "Caddyfile");
  await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return start(program, ["run", "--config", file, "--adapter", "caddyfile"], { folder, port });
}

async function start(program: string, args: string[], at: { folder: string; port: number }): Promise<RunningProxy> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: at.folder,
    XDG_DATA_HOME: at.folder,
    XDG_CONFIG_HOME: at.folder,
  };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
  const ended = once(child, "exit");
  const deadline = performance.now() + startTimeoutMillis;
  while (!(await accepts(at.port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${program} did not start:\n${said}`);
    await sleep(50);
  }
  return { stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
    socket.once("connect", () => socket.destroy());
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Every replacement must find its place, or the test would not run what is shipped. */
function replaceAll(text: string, pairs: readonly (readonly [string | RegExp, string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${from} is not in the file`);
    return after;
  }, text);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
