import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../src/platform/net/free-port.js";

/** The relay that a proxy stands in front of, and the certificate that the proxy presents. */
export interface ProxyOptions {
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
const startTimeoutMillis = 90_000;

/** Runs the configuration file that is shipped, with the test's host name, ports and certificate in place of the operator's. */
export async function startNginx(program: string, options: ProxyOptions): Promise<RunningProxy> {
  const { folder, port } = options;
  const shipped = await readFile(path.join(deploy, "nginx.conf"), "utf8");
  const site = replaceAll(shipped, [
    [/^ +listen \[::\]:(80|443).*\n/gm, ""],
    ["listen 80;", `listen 127.0.0.1:${await findFreePort()};`],
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["/etc/letsencrypt/live/relay.example/fullchain.pem", options.certFile],
    ["/etc/letsencrypt/live/relay.example/privkey.pem", options.keyFile],
    ["server 127.0.0.1:8080;", `server 127.0.0.1:${options.relayPort};`],
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
  return startProgram(program, ["-p", folder, "-e", "stderr", "-c", path.join(folder, "nginx.conf")], { folder, port });
}

/** The same for Caddy, which is given the test's certificate instead of getting one itself. */
export async function startCaddy(program: string, options: ProxyOptions): Promise<RunningProxy> {
  const { folder, port } = options;
  const shipped = await readFile(path.join(deploy, "Caddyfile"), "utf8");
  const site = replaceAll(shipped, [
    ["\nrelay.example {", `\nhttps://localhost:${port} {\n\tbind 127.0.0.1`],
    ["tls {", `tls ${options.certFile} ${options.keyFile} {`],
    ["reverse_proxy 127.0.0.1:8080", `reverse_proxy 127.0.0.1:${options.relayPort}`],
  ]);
  const file = path.join(folder, "Caddyfile");
  await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return startProgram(program, ["run", "--config", file, "--adapter", "caddyfile"], { folder, port });
}

/** The same for HAProxy, which reads the certificate and its key from one file. */
export async function startHaproxy(program: string, options: ProxyOptions): Promise<RunningProxy> {
  const { folder, port, certFile, keyFile } = options;
  const pem = path.join(folder, "site.pem");
  await writeFile(pem, `${await readFile(certFile, "utf8")}${await readFile(keyFile, "utf8")}`);
  const shipped = await readFile(path.join(deploy, "haproxy.cfg"), "utf8");
  const site = replaceAll(shipped, [
    [/^ +bind \[::\].*\n/gm, ""],
    ["bind :80", `bind 127.0.0.1:${await findFreePort()}`],
    ["bind :443", `bind 127.0.0.1:${port}`],
    [/\/etc\/haproxy\/relay\.example\.pem/g, pem],
    ["127.0.0.1:8080", `127.0.0.1:${options.relayPort}`],
  ]);
  const file = path.join(folder, "haproxy.cfg");
  await writeFile(file, site);
  return startProgram(program, ["-f", file], { folder, port });
}

/** Runs a server until it accepts connections at its port. */
export async function startProgram(
  program: string,
  args: string[],
  at: { folder: string; port: number },
): Promise<RunningProxy> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: at.folder,
    XDG_DATA_HOME: at.folder,
    XDG_CONFIG_HOME: at.folder,
  };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const ended = once(child, "exit");
  const deadline = performance.now() + startTimeoutMillis;
  while (!(await accepts(at.port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`${program} did not start:\n${output}`);
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

/** Throws where a pattern is not found: otherwise the test would not run the file that is shipped. */
function replaceAll(text: string, pairs: readonly (readonly [string | RegExp, string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${from} is not in the file`);
    return after;
  }, text);
}
