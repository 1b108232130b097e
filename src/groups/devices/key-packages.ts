// The key packages of this device: others add it to groups by them.

import { uploadKeyPackages } from "../../client/index.js";
import { encodeRecord } from "../encoding/records.js";
import { encodeIdentity } from "../mls/members.js";
import type { DeviceCore } from "../sending/device-core.js";
import { isFinal, retryLater } from "../sending/retry.js";
import type { Transaction } from "../store/ledger.js";
import { type Key, packagePrefix, unsentKeys, uploadedKey } from "../store/record-keys.js";
import type { Asked, StoredPackage, Uploaded } from "../store/records.js";

type KeyedPackage = StoredPackage & { key: Key<StoredPackage> };

const lowMark = 20;
const fillTo = 50;
/** The private keys of packages that the relay may have given to somebody. */
const maxKept = 1_000;
/** A relay keeps a package for 30 days, that of last resort as well. */
const renewMillis = 14 * 86_400_000;
/** A Welcome by one of last resort may be on its way for a month more, and for a week before. */
const lastResortMillis = 70 * 86_400_000;

export class KeyPackages {
  readonly #core: DeviceCore;
  #packages: KeyedPackage[] = [];
  /** Those that a request has. Trying a Welcome with each of fifty others takes longer than joining by it. */
  readonly #asked = new WeakSet<Uint8Array>();
  /** As the relay has told last. */
  #left = 0;
  readonly #fillAgain = () => this.remaining(this.#left);
  #filling: Promise<void> | undefined;
  #renewed: Promise<void> = Promise.resolve();

  constructor(core: DeviceCore) {
    this.#core = core;
  }

  async load(): Promise<void> {
    const stored = await this.#core.ledger.readAll(packagePrefix);
    this.#packages = stored.map(([key, one]) => ({ ...one, key }));
  }

  /** First those that members were asked with; then in the order in which the relay gives them out. That of last resort is the last. */
  inOrder(): KeyedPackage[] {
    const place = ({ keyPackage, isLastResort }: KeyedPackage) =>
      this.#asked.has(keyPackage) ? 0 : isLastResort ? 2 : 1;
    return [...this.#packages].sort((a, b) => place(a) - place(b));
  }

  /** A package that was joined with is used up. */
  use(transaction: Transaction, { key, isLastResort }: KeyedPackage): void {
    if (!isLastResort) this.#remove(transaction, key);
  }

  #remove(transaction: Transaction, key: string): void {
    transaction.remove(key);
    transaction.afterwards(() => {
      this.#packages = this.#packages.filter((one) => one.key !== key);
    });
  }

  /** The first packages. Later the device opens without the network. */
  async first(): Promise<void> {
    if ((await this.#uploaded()) === undefined) await this.#replace();
  }

  /** Once the relay can be reached: replaces packages with another address or an earlier key of the user, and renews that of last resort. */
  renew(): Promise<void> {
    const renewed = this.#renewed.then(() => this.#renew());
    this.#renewed = renewed.catch(() => undefined);
    return renewed;
  }

  async #renew(): Promise<void> {
    const { atMillis = 0, isOutdated } = (await this.#uploaded()) ?? {};
    if (isOutdated) return this.#replace();
    if (this.#core.nowMillis() < atMillis + renewMillis) return;
    const [last] = (await this.#unsent("renew", () => this.#make(1, true))) as [KeyedPackage];
    const { device, closing: signal } = this.#core;
    await uploadKeyPackages(device, [], { lastResort: last.keyPackage, signal });
    await this.#noteUploaded();
  }

  /** New packages with one of last resort. Those that the relay has are dropped. */
  async #replace(): Promise<void> {
    const make = async () => [...(await this.#make(1, true)), ...(await this.#make(fillTo, false))];
    const [last, ...packages] = (await this.#unsent("replace", make)) as [KeyedPackage, ...KeyedPackage[]];
    const { device, closing: signal } = this.#core;
    await uploadKeyPackages(device, bytesOf(packages), { replace: true, lastResort: last.keyPackage, signal });
    await this.#noteUploaded();
  }

  /** What an upload has that the relay has not taken yet; else what is made for it. */
  async #unsent(upload: keyof typeof unsentKeys, make: () => Promise<KeyedPackage[]>): Promise<KeyedPackage[]> {
    const { ledger } = this.#core;
    const { keys = [] } = (await ledger.read(unsentKeys[upload])) ?? {};
    const unsent = this.#packages.filter(({ key }) => keys.includes(key));
    if (unsent.length > 0) return unsent;
    const made = await make();
    await ledger.store.write([[unsentKeys[upload], encodeRecord({ keys: made.map(({ key }) => key) })]]);
    return made;
  }

  #uploaded(): Promise<Uploaded | undefined> {
    return this.#core.ledger.read(uploadedKey);
  }

  #noteUploaded(): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    return ledger.inTurn(async (transaction) => {
      transaction.set(uploadedKey, { atMillis: nowMillis() } satisfies Uploaded);
      for (const key of [unsentKeys.replace, unsentKeys.renew]) transaction.remove(key);
      await transaction.commit();
    });
  }

  /** `renew` has to replace what the relay has: this device has another address, or its user another key. */
  outdate(transaction: Transaction): void {
    transaction.set(uploadedKey, { isOutdated: true } satisfies Uploaded);
    for (const key of Object.values(unsentKeys)) transaction.remove(key);
  }

  /** The relay has told how many are left. */
  remaining(count: number): void {
    this.#left = count;
    if (count >= lowMark || this.#filling !== undefined || this.#core.closing.aborted) return;
    this.#filling = this.#fill(fillTo - count)
      .catch((problem: unknown) => retryLater(this.#core, problem, this.#fillAgain))
      .finally(() => {
        this.#filling = undefined;
      });
  }

  async #fill(count: number): Promise<void> {
    const { ledger, device, problem, closing: signal } = this.#core;
    const unsent = await this.#unsent("fill", () => this.#make(count, false));
    try {
      await uploadKeyPackages(device, bytesOf(unsent), { signal });
    } catch (what) {
      if (!isFinal(what)) throw what;
      problem(what);
    }
    this.#left += unsent.length;
    await ledger.store.write([[unsentKeys.fill, undefined]]);
  }

  /** What this device's leaves are made of. */
  async ownLeaf(): Promise<{ identity: Uint8Array; signer: Uint8Array }> {
    const { mls, account } = this.#core;
    const signatureKey = await mls.publicKeyOf(account.signer);
    return { identity: encodeIdentity(account, { ...account, signatureKey }), signer: account.signer };
  }

  /** A package for a request to be added. */
  async makeToAsk({ replaces, asked }: { replaces?: Uint8Array; asked?: Asked }): Promise<Uint8Array> {
    const [{ keyPackage }] = (await this.#make(1, false, { replaces, asked })) as [KeyedPackage];
    this.#asked.add(keyPackage);
    return keyPackage;
  }

  /** What a member was asked for with this package, once: another member may still add this device by it. */
  refused(transaction: Transaction, own: KeyedPackage): Pick<Asked, "group" | "name"> | undefined {
    const { key, ...rest } = own;
    if (own.asked === undefined || own.asked.isRefused) return undefined;
    const { group, name } = own.asked;
    const asked: Asked = { group, name, isRefused: true };
    transaction.set(key, { ...rest, asked });
    transaction.afterwards(() => {
      own.asked = asked;
    });
    return { group, name };
  }

  /** Makes new packages, and stores their private keys. */
  async #make(
    count: number,
    isLastResort: boolean,
    { replaces, asked }: { replaces?: Uint8Array | undefined; asked?: Asked | undefined } = {},
  ): Promise<KeyedPackage[]> {
    const { mls, ledger, nowMillis } = this.#core;
    const made: StoredPackage[] = [];
    const leaf = await this.ownLeaf();
    for (let left = count; left > 0; left--) {
      const one = await mls.newKeyPackage({ ...leaf, replaces });
      made.push({
        ...one,
        cipherSuite: mls.cipherSuite,
        ...(isLastResort && { isLastResort, madeAtMillis: nowMillis() }),
        ...(asked && { asked }),
        ...((asked ?? replaces) && { isForRequest: true }),
      });
    }
    return ledger.inTurn(async (transaction) => {
      const keyed = made.map((one) => ({ ...one, key: transaction.add(packagePrefix, one).key }));
      transaction.afterwards(() => this.#packages.push(...keyed));
      this.#dropSurplus(transaction, count);
      await transaction.commit();
      return keyed;
    });
  }

  #dropSurplus(transaction: Transaction, added: number): void {
    const surplus = this.#packages.length + added - maxKept;
    const oldest = this.#packages.filter(({ isLastResort }) => !isLastResort);
    for (const one of oldest.slice(0, Math.max(0, surplus))) this.use(transaction, one);
    const isOver = ({ madeAtMillis = Infinity }: KeyedPackage) =>
      madeAtMillis < this.#core.nowMillis() - lastResortMillis;
    for (const { key } of this.#packages.filter(isOver)) this.#remove(transaction, key);
  }
}

function bytesOf(packages: readonly KeyedPackage[]): Uint8Array[] {
  return packages.map(({ keyPackage }) => keyPackage);
}
