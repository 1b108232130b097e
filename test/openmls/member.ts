import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startProgram } from "./program.js";

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
      running.tell({ do: "take and die" });
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
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function start(settings: string) {
  return startProgram<Answer>("openmls-member", [settings]);
}

function fromBase64(text: string | undefined): Uint8Array {
  return new Uint8Array(Buffer.from(text ?? "", "base64"));
}
