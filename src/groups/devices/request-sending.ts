import { deviceKeysOf, sealMessages, signCiphertext } from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";
import { doorKeysOf } from "../membership/door-keys.js";
import { type Ask, encodeRequest, invitedText, type JoinRequest } from "../membership/request-encoding.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Outbox } from "../sending/outbox.js";
import type { KeyPackages } from "./key-packages.js";

/** How this device asks members of a group to be added. */
export function askingBy(core: DeviceCore, { packages, outbox }: { packages: KeyPackages; outbox: Outbox }): Ask {
  return async ({ group, to, by }) => {
    const keyPackage = await packages.makeToAsk("door" in by ? by : { asked: { group, name: by.name } });
    const request: JoinRequest = { keyPackage };
    if ("invitation" in by) {
      const text = invitedText({ group, invitation: by.invitation }, keyPackage);
      request.signature = encodeHex(signCiphertext(by.secret, text));
      if (by.epoch !== undefined) request.epoch = by.epoch;
    }
    const keys = await doorKeysOf("door" in by ? by.door : deviceKeysOf(by.secret).publicKey);
    const sealed = { to, content: encodeRequest(request), keys, isAutomatic: true };
    const copies = await sealMessages(sealed, core.sealing);
    await core.ledger.inTurn(async (transaction) => {
      outbox.post(transaction, { group, copies, createdAtMillis: core.nowMillis() });
      await transaction.commit();
    });
  };
}
