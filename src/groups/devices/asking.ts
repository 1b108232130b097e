import { sealMessages } from "../../client/index.js";
import { type Ask, doorKeysOf, encodeRequest } from "../membership/door.js";
import type { Core } from "../sending/core.js";
import type { Outbox } from "../sending/outbox.js";
import type { KeyPackages } from "./key-packages.js";

/** How this device asks members of a group to be added. */
export function askingBy(core: Core, { packages, outbox }: { packages: KeyPackages; outbox: Outbox }): Ask {
  return async ({ group, secret, to, replaces }) => {
    const keyPackage = await packages.makeToAsk(replaces);
    const keys = await doorKeysOf(secret);
    const copies = await sealMessages({ to, content: encodeRequest({ keyPackage }), keys }, core.sealing);
    await core.ledger.inTurn(async (transaction) => {
      outbox.post(transaction, { group, copies, createdAtMillis: core.nowMillis() });
      await transaction.commit();
    });
  };
}
