import { newSecretKey } from "../../src/client/crypto/keys.js";
import { answerLinking, beginLinking } from "../../src/client/linking/linking-exchange.js";
import { encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { type DemoClient, DeviceLimitError } from "./client.js";
import { searchCiphertexts } from "./evidence.js";
import type { Say } from "./log.js";

/** A user's first device, the device to link, and the other members of the group. */
interface LinkingClients {
  ada: DemoClient;
  tablet: DemoClient;
  others: readonly DemoClient[];
  databaseUrl?: string | undefined;
  say: Say;
}

/** What a new device needs to act for the same user: here, the user's key and list of devices. */
interface Identity {
  user_id: string;
  user_secret_key: string;
  devices: string[];
}

/**
 * Ada's tablet, which no relay knows yet, shows a QR code. Her first device encrypts her identity to the key in it and
 * uploads the result. Both devices show a code, and the identity is used only if the codes match. Throws if they do not
 * match, if another identity arrives, or if the relay could have read it.
 */
export async function linkTablet({ ada, tablet, databaseUrl, say }: LinkingClients): Promise<void> {
  const linking = await beginLinking(tablet.device.connection);
  say("tablet", "is new, and shows a QR code with a single-use key");
  const secretKey = encodeHex(newSecretKey());
  const identity: Identity = { user_id: "ada", user_secret_key: secretKey, devices: [ada.device.deviceId] };
  const { code } = await answerLinking(ada.device, { qr: linking.qr, payload: utf8(JSON.stringify(identity)) });
  say("ada", `scans it, and uploads her identity, encrypted to that key; code ${code}`);
  if (databaseUrl !== undefined) await showThatTheBlobIsSealed(databaseUrl, secretKey, say);
  const received = await linking.arrived();
  if (received.code !== code) throw new Error(`the tablet shows ${received.code} where ada's device shows ${code}`);
  const arrived: Identity = JSON.parse(new TextDecoder().decode(received.payloadAfterComparison()));
  if (arrived.user_secret_key !== secretKey) throw new Error("the tablet received another identity");
  say("tablet", `shows the same code ${received.code}, and is now ${arrived.user_id}'s second device`);
}

/**
 * Registers the tablet as a separate device and adds it to the group. Returns false if the relay accepts no more new
 * devices from this network for now (with the default limits, three an hour).
 */
export async function addTabletToGroup({ ada, tablet, others, say }: LinkingClients): Promise<boolean> {
  try {
    await tablet.register();
  } catch (failure) {
    if (!(failure instanceof DeviceLimitError)) throw failure;
    say(
      "tablet",
      "is linked, and may register later: the relay accepts no more new devices from this network in this hour",
    );
    return false;
  }
  tablet.goOnline("stream");
  const keyPackage = await ada.fetchKeyPackageOf(tablet);
  const { commit, welcome } = await ada.member.add([keyPackage]);
  say("ada", "adds her tablet to the group");
  await ada.sendCommit(commit, others);
  await ada.welcome(welcome, [{ client: tablet, keyPackage }]);
  await tablet.hasSeen(1);
  return true;
}

/** A blob must be stored, or a search without a hit would prove nothing. */
async function showThatTheBlobIsSealed(databaseUrl: string, secretKey: string, say: Say): Promise<void> {
  const [evidence] = await searchCiphertexts(databaseUrl, "provisioning_addresses", [utf8(secretKey)]);
  const { stored, bytes, found } = evidence ?? { stored: 0, bytes: 0, found: 0 };
  if (stored === 0) throw new Error("the blob for the tablet is not in the relay's database");
  if (found > 0) throw new Error("the relay's database contains the identity in plaintext");
  say("relay", `holds ${stored} encrypted blob (${bytes} bytes), without the identity in plaintext`);
}
