import { deviceKeysOf } from "../../client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../client/device/client.js";
import type { AnnounceOptions } from "../../client/registration/announce.js";
import type { Runtime, SocketLike } from "../../client/runtime/runtime.js";
import type { Random } from "../../platform/random.js";
import { encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { LimitReached, success } from "./assertions.js";
import type { Wire } from "./requests.js";
import type { Device } from "./types.js";

interface DeviceDeps {
  wire: Wire;
  random: Random;
  url: string;
  domain: string;
}

/** Makes keys and registers them. */
export async function registerDevice(deps: DeviceDeps, admission: AnnounceOptions["admission"]): Promise<Device> {
  const keys = deviceKeysOf(deps.random.bytes(32));
  const client = await connectDevice({
    url: deps.url,
    domain: deps.domain,
    keys,
    retries: { attempts: 1 },
    runtime: runtimeOf(deps.wire),
  });
  await client.register({ admission });
  // Sets the library's clock, which otherwise learns the server's time only from refusals.
  client.connection.clock.learn((await client.poll()).server_timestamp);
  return deviceOf(deps, client);
}

/** Lets the client library send its requests through the wire, which checks the answers. */
export function runtimeOf(wire: Wire): Partial<Runtime> {
  const openSocket = (): SocketLike => {
    throw new Error("the suite opens its own streams");
  };
  return { fetch: (url, init) => wire.fetch(url, init), openSocket };
}

function deviceOf({ wire, random }: DeviceDeps, client: DeviceClient): Device {
  const address = client.session()?.addresses[0] ?? "";
  const device: Device = {
    client,
    deviceId: client.deviceId,
    publicKey: encodeHex(client.keys.publicKey),
    sign: (text) => client.keys.sign(text) as string,
    address,
    token: () => client.session()?.accessToken ?? "",
    call: (operation, sending = {}) => wire.call(operation, { token: device.token(), ...sending }),
    message: (recipient, { messageId, ciphertext, ...members } = {}) => ({
      message_id: messageId ?? client.connection.newMessageId(),
      recipient_address: recipient,
      mls_ciphertext: encodeBase64(ciphertext ?? random.bytes(48)),
      sender_signature: encodeHex(random.bytes(64)),
      timestamp: client.connection.clock.nowSeconds(),
      ...members,
    }),
    async send(recipient, draft) {
      const answer = await device.call("sendMessage", { body: device.message(recipient, draft) });
      if (answer.status === 429) throw new LimitReached("the suite's device may send no more for now");
      return success(answer, 202).message_id;
    },
    async queue() {
      const { messages } = success(await device.call("pollMessages", { query: { limit: 1000 } }), 200);
      return messages.map(({ message_id: id }) => id);
    },
    async clear() {
      const ids = await device.queue();
      if (ids.length > 0) await device.call("acknowledgeMessages", { body: { message_ids: ids } });
    },
  };
  return device;
}
