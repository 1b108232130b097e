// Where this device receives. A new address goes into its leaf of each group by a commit, and into its key packages. The old one stays announced for
// a while: members who are away, and those who have claimed a key package, still send to it.

import { type Admission, isAnswer, type Session } from "../../client/index.js";
import { encodeRecord } from "../encoding/records.js";
import type { CommitLoops } from "../membership/loops-of-all-groups.js";
import { moveAddress } from "../membership/member-addresses.js";
import type { Membership } from "../membership/membership.js";
import type { DeviceCore } from "../sending/device-core.js";
import { retryLater } from "../sending/retry.js";
import type { Ledger } from "../store/ledger.js";
import { accountKey, lifetimeKey, oldAddressPrefix, pushSessionKey, sessionKey } from "../store/record-keys.js";
import type { KeyPackages } from "./key-packages.js";

/** Longer than others repeat what they could not send. */
const keptMillis = 14 * 86_400_000;

/** Stores a session, and tells the application if the device had no address for a while before it. */
export function keepSession(ledger: Ledger, [before, next]: [Session | undefined, Session]): Promise<void> {
  return ledger.inTurn(async (transaction) => {
    transaction.set(sessionKey, next);
    const { seconds = Number.POSITIVE_INFINITY } = (await ledger.read(lifetimeKey)) ?? {};
    const sinceSeconds = (before?.announcedAt ?? next.announcedAt) + seconds;
    if (sinceSeconds < next.announcedAt)
      transaction.event({ type: "unreachable", sinceSeconds, untilSeconds: next.announcedAt });
    await transaction.commit();
  });
}

/** The stored session, or the later one that opening a push has begun: the relay counts from that one. */
export async function lastSession(ledger: Ledger): Promise<Session | undefined> {
  const [own, pushed] = [await ledger.read(sessionKey), await ledger.read(pushSessionKey)];
  return own && pushed && pushed.announcedAt > own.announcedAt ? { ...pushed, addresses: own.addresses } : own;
}

interface AddressesParts {
  packages: KeyPackages;
  memberships: ReadonlyMap<string, Membership>;
  loops: CommitLoops;
}

export class Addresses {
  readonly #core: DeviceCore;
  readonly #packages: KeyPackages;
  readonly #memberships: ReadonlyMap<string, Membership>;
  readonly #loops: CommitLoops;
  #isLifetimeKnown = false;
  #last: Promise<void> = Promise.resolve();
  readonly #checkAgain = () => this.check();

  constructor(core: DeviceCore, { packages, memberships, loops }: AddressesParts) {
    this.#core = core;
    this.#packages = packages;
    this.#memberships = memberships;
    this.#loops = loops;
  }

  /** Gets another address from the relay. */
  rotate(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#move();
      await this.#tellGroups();
      await this.#packages.renew().catch((problem) => retryLater(this.#core, problem, this.#checkAgain));
    });
  }

  /** The relay has removed this device, which was off for long: registers it again, with the address that others know. */
  registerAgain(admission: Admission | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const { account, device, ledger, closing } = this.#core;
      const { address } = account;
      try {
        // The relay has no key packages of it any more. Noted first: a crash behind the announcement would forget it.
        await ledger.inTurn(async (transaction) => {
          this.#packages.outdate(transaction);
          await transaction.commit();
        });
        await device.announce([address.slice(0, address.indexOf("@"))], { admission, signal: closing });
      } catch (problem) {
        if (!isAnswer(problem, "ADDRESS_TAKEN")) throw problem;
        await this.#move(admission ?? { by: "proof" });
        await device.endAddress(address, { signal: closing });
      }
    });
  }

  /** The device is connected: goes on with what a crash has left, ends old addresses that are due, and replaces one that has ended. */
  check(): void {
    this.#inTurn(() => this.#check()).catch((problem) => retryLater(this.#core, problem, this.#checkAgain));
  }

  /** The device has announced its address again: renews key packages that are due. An address that has ended is replaced by `check`. */
  announced(): void {
    this.#inTurn(() => this.#packages.renew()).catch((problem) => retryLater(this.#core, problem, this.#checkAgain));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #check(): Promise<void> {
    const { account, device, ledger, nowMillis, closing } = this.#core;
    if (closing.aborted) return;
    await this.#noteLifetime();
    for (const [key, { address, endsAtMillis }] of await ledger.readAll(oldAddressPrefix)) {
      if (endsAtMillis > nowMillis()) continue;
      await device.endAddress(address, { signal: closing });
      await ledger.store.write([[key, undefined]]);
    }
    if (device.session()?.addresses.includes(account.address) === false) await this.#move();
    await this.#tellGroups();
    await this.#packages.renew();
  }

  /** How long the relay keeps the address of a device that is off. */
  async #noteLifetime(): Promise<void> {
    if (this.#isLifetimeKnown) return;
    const { account, device, ledger, closing } = this.#core;
    const own = (await device.addresses({ signal: closing })).find((one) => one.full_address === account.address);
    if (own === undefined) return;
    await ledger.store.write([[lifetimeKey, encodeRecord({ seconds: own.expires_at - own.announced_at })]]);
    this.#isLifetimeKnown = true;
  }

  async #move(admission: Admission | undefined = { by: "nothing" }): Promise<void> {
    const { account, device, ledger, nowMillis, closing } = this.#core;
    const before = device.session()?.addresses ?? [];
    const { addresses } = await device.register({ admission, signal: closing });
    const address = addresses.findLast((one) => !before.includes(one));
    if (address === undefined) throw new Error("the relay has given no other address");
    await ledger.inTurn(async (transaction) => {
      transaction.add(oldAddressPrefix, { address: account.address, endsAtMillis: nowMillis() + keptMillis });
      transaction.set(accountKey, { ...account, address });
      this.#packages.outdate(transaction);
      transaction.afterwards(() => {
        account.address = address;
      });
      await transaction.commit();
    });
  }

  /** Stores the changes of all groups in which this device has another address. */
  async #tellGroups(): Promise<void> {
    for (const membership of this.#memberships.values())
      this.#loops.do(await this.#core.ledger.inTurn((transaction) => moveAddress(transaction, membership)));
  }
}
