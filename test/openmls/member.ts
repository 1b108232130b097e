import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cargoTarget } from "../../scripts/clients/tools.js";

/** A group member that uses OpenMLS: a separate process, written in Rust, that takes commit slots over HTTP. */
export interface OpenMlsMember {
  /** As an MLS message. */
  keyPackage(): Promise<Uint8Array>;
  /** A package that mls-rs makes. */
  keyPackageOfMlsRs(): Promise<Uint8Array>;
  /** With a Welcome that has the ratchet tree. */
  join(welcome: Uint8Array): Promise<void>;
  /** Follows, makes a commit, and takes the slot once `made` is fulfilled. */
  commit(made: () => Promise<void>): Promise<void>;
  /** Likewise, but the process is killed after its request was carried out, and starts again from its disk. */
  commitAndDie(made: () => Promise<void>): Promise<void>;
  follow(): Promise<void>;
  state(): Promise<{ epoch: bigint; authenticator: string }>;
  stop(): Promise<void>;
}

/** How a member reaches the relay with the group's slots. */
interface Reach {
  name: string;
  /** The address of the member's relay. */
  url: string;
  token: string;
  /** Whether its own relay must ask another one. */
  asks: boolean;
  domain: string;
  slotKey: Uint8Array;
}

/** What the program answers. */
interface Answer {
  error?: string;
  key_package?: string;
  epoch?: number;
  authenticator?: string;
}

const source = fileURLToPath(new URL(".", import.meta.url));

/** Compiles the program; the first time downloads OpenMLS and takes minutes. */
export async function buildOpenMlsMember(): Promise<void> {
  const place = ["--manifest-path", path.join(source, "Cargo.toml"), "--target-dir", cargoTarget];
  await promisify(execFile)("cargo", ["build", "--quiet", "--locked", ...place], { maxBuffer: 2 ** 26 });
}

export async function startOpenMlsMember(reach: Reach): Promise<OpenMlsMember> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-openmls-"));
  const { name, url, token, asks, domain, slotKey } = reach;
  const relay = { url, token, asks, domain, slot_key: Buffer.from(slotKey).toString("hex") };
  const settings = JSON.stringify({ name, folder, relay });
  let running = start(settings);

  const ask = async (command: object): Promise<Answer> => {
    const answer = await running.ask(command);
    if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`);
    return answer;
  };
  const askForPackage = async (what: string) => fromBase64((await ask({ do: what })).key_package);
  return {
    keyPackage: () => askForPackage("key package"),
    keyPackageOfMlsRs: () => askForPackage("key package of mls-rs"),
    join: async (welcome) => void (await ask({ do: "join", welcome: Buffer.from(welcome).toString("base64") })),
    async commit(made) {
      await ask({ do: "prepare" });
      await made();
      await ask({ do: "take" });
    },
    async commitAndDie(made) {
      await ask({ do: "prepare" });
      await made();
      await running.tell({ do: "take and die" });
      await running.ended;
      running = start(settings);
    },
    follow: async () => void (await ask({ do: "follow" })),
    async state() {
      const { epoch, authenticator } = await ask({ do: "state" });
      if (epoch === undefined || authenticator === undefined) throw new Error(`${name} does not say where it is`);
      return { epoch: BigInt(epoch), authenticator };
    },
    async stop() {
      running.child.stdin.end();
      await running.ended;
      await rm(folder, { recursive: true });
    },
  };
}

function start(settings: string) {
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    path.join(cargoTarget, "debug/openmls-member"),
    [settings],
    { stdio: [...stdio] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit");
  const tell = async (command: object): Promise<void> => void child.stdin.write(`${JSON.stringify(command)}\n`);
  return {
    child,
    ended,
    tell,
    async ask(command: object): Promise<Answer> {
      await tell(command);
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the program has ended");
      return JSON.parse(value) as Answer;
    },
  };
}

function fromBase64(text: string | undefined): Uint8Array {
  return new Uint8Array(Buffer.from(text ?? "", "base64"));
}
