// The key packages of this device: others add it to groups by them.

import { uploadKeyPackages } from "../client/index.js";
import type { Core } from "./core.js";
import type { Transaction } from "./ledger.js";
import { encodeIdentity } from "./members.js";
import type { OwnKeyPackage } from "./mls.js";

interface StoredPackage extends OwnKeyPackage {
  cipherSuite: number;
  /** The relay gives it out when no other is left, to several groups. */
  isLastResort?: true;
}

type KeyedPackage = StoredPackage & { key: string };

const uploadedKey = "uploaded";
const lowMark = 20;
const fillTo = 50;
/** The private keys of packages that the relay may have given to somebody. */
const maxKept = 1_000;

export class KeyPackages {
  readonly #core: Core;
  #packages: KeyedPackage[] = [];
  #filling: Promise<void> | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  async load(): Promise<void> {
    const stored = await this.#core.ledger.readAll<StoredPackage>("package/");
    this.#packages = stored.map(([key, one]) => ({ ...one, key }));
  }

  /** In the order in which the relay gives them out; that of last resort is the last. */
  inOrder(): KeyedPackage[] {
    return [...this.#packages].sort((a, b) => Number(a.isLastResort ?? 0) - Number(b.isLastResort ?? 0));
  }

  /** A package that was joined with is used up. */
  use(transaction: Transaction, { key, isLastResort }: KeyedPackage): void {
    if (isLastResort) return;
    transaction.remove(key);
    transaction.afterwards(() => {
      this.#packages = this.#packages.filter((one) => one.key !== key);
    });
  }

  /** The first packages, with one of last resort. Those that an earlier attempt has uploaded are replaced. */
  async begin(): Promise<void> {
    if ((await this.#core.ledger.store.get(uploadedKey)) !== undefined) return;
    const [last] = (await this.make(1, true)) as [Uint8Array];
    const packages = await this.make(fillTo);
    await uploadKeyPackages(this.#core.device, packages, { replace: true, lastResort: last });
    await this.#core.ledger.inTurn(async (transaction) => {
      transaction.set(uploadedKey, {});
      await transaction.commit();
    });
  }

  /** What the relay has is to be replaced by `begin`: this device has another address. */
  outdate(transaction: Transaction): void {
    transaction.remove(uploadedKey);
  }

  /** The relay has told how many are left. */
  remaining(count: number): void {
    if (count >= lowMark || this.#core.closing.aborted) return;
    this.#filling ??= this.#fill(fillTo - count).finally(() => {
      this.#filling = undefined;
    });
    this.#filling.catch((problem: unknown) => this.#core.problem(problem));
  }

  async #fill(count: number): Promise<void> {
    await uploadKeyPackages(this.#core.device, await this.make(count));
  }

  /** What this device's leaves are made of. */
  async ownLeaf(): Promise<{ identity: Uint8Array; signer: Uint8Array }> {
    const { mls, account } = this.#core;
    const signatureKey = await mls.publicKeyOf(account.signer);
    return { identity: encodeIdentity(account, { ...account, signatureKey }), signer: account.signer };
  }

  /** Makes new packages, and stores their private keys. */
  async make(count: number, isLastResort = false): Promise<Uint8Array[]> {
    const { mls, ledger } = this.#core;
    const made: StoredPackage[] = [];
    for (let left = count; left > 0; left--) {
      const one = await mls.newKeyPackage(await this.ownLeaf());
      made.push({ ...one, cipherSuite: mls.cipherSuite, ...(isLastResort && { isLastResort }) });
    }
    await ledger.inTurn(async (transaction) => {
      for (const one of made) {
        const { key } = transaction.add("package/", one);
        transaction.afterwards(() => this.#packages.push({ ...one, key }));
      }
      this.#dropSurplus(transaction, count);
      await transaction.commit();
    });
    return made.map(({ keyPackage }) => keyPackage);
  }

  #dropSurplus(transaction: Transaction, added: number): void {
    const surplus = this.#packages.length + added - maxKept;
    for (const one of this.inOrder().slice(0, Math.max(0, surplus))) this.use(transaction, one);
  }
}
