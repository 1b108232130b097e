// What `mls-relay-conformance client` starts, written with @mls-relay/client: it registers, handles messages, and sends what
// it is told to.
import { createInterface } from "node:readline";
import { AnswerError, connectDevice, deviceKeysOf, newSecretKey } from "@mls-relay/client";

const keys = deviceKeysOf(newSecretKey());
const device = await connectDevice({ url: process.env.RELAY_URL, domain: process.env.RELAY_DOMAIN, keys });
await device.register();
const receiving = device.receive({ handle: ({ messageId }) => console.log(`handled ${messageId}`) });
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [, to, ciphertext] = line.split(" ");
  try {
    const { message_id } = await device.send({ to, ciphertext: new Uint8Array(Buffer.from(ciphertext, "base64")) });
    console.log(`sent ${message_id}`);
  } catch (failure) {
    console.log(`refused ${failure instanceof AnswerError ? failure.error : "no-answer"}`);
  }
}
await receiving.stop();
