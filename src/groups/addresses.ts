// Where this device receives. A new address goes into its leaf of each group by a commit, and into its key packages. The old one stays announced for
// a while: members who are away, and whoever has claimed a key package, still send to it.

import type { Core } from "./core.js";
import type { KeyPackages } from "./key-packages.js";
import type { Membership } from "./membership.js";

const prefix = "old-address/";
/** Longer than others repeat what they could not send. */
const keptMillis = 14 * 86_400_000;

export class Addresses {
  readonly #core: Core;
  readonly #packages: KeyPackages;
  readonly #memberships: ReadonlyMap<string, Membership>;
  #last: Promise<void> = Promise.resolve();

  constructor(
    core: Core,
    { packages, memberships }: { packages: KeyPackages; memberships: ReadonlyMap<string, Membership> },
  ) {
    this.#core = core;
    this.#packages = packages;
    this.#memberships = memberships;
  }

  /** Gets another address from the relay. */
  rotate(): Promise<void> {
    return this.#inTurn(() => this.#move());
  }

  /** The device is connected: goes on with what a crash has left, ends old addresses that are due, and replaces one that has ended. */
  check(): void {
    this.#inTurn(() => this.#check()).catch(this.#core.problem);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #check(): Promise<void> {
    const { account, device, ledger, nowMillis, closing } = this.#core;
    if (closing.aborted) return;
    for (const [key, { address, endsAtMillis }] of await ledger.readAll<{ address: string; endsAtMillis: number }>(
      prefix,
    )) {
      if (endsAtMillis > nowMillis()) continue;
      await device.endAddress(address, { signal: closing });
      await ledger.store.write([[key, undefined]]);
    }
    if (device.session()?.addresses.includes(account.address) === false) await this.#move();
    else await this.#tell();
  }

  async #move(): Promise<void> {
    const { account, device, ledger, nowMillis } = this.#core;
    const before = device.session()?.addresses ?? [];
    const { addresses } = await device.register({ admission: { by: "nothing" } });
    const address = addresses.findLast((one) => !before.includes(one));
    if (address === undefined) throw new Error("the relay has given no other address");
    await ledger.inTurn(async (transaction) => {
      transaction.add(prefix, { address: account.address, endsAtMillis: nowMillis() + keptMillis });
      transaction.set("account", { ...account, address });
      this.#packages.outdate(transaction);
      transaction.afterwards(() => {
        account.address = address;
      });
      await transaction.commit();
    });
    await this.#tell();
  }

  /** Stores the changes of all groups in which this device has another address. */
  async #tell(): Promise<void> {
    for (const membership of this.#memberships.values())
      await this.#core.ledger.inTurn((transaction) => membership.moveAddress(transaction));
    await this.#packages.begin();
  }
}
