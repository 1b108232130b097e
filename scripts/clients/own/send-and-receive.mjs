// Registers a device with a proof, sends it a message, and receives that, in whatever runs JavaScript.
import { readFileSync } from "node:fs";
import { connectDevice, deviceKeysOf, newSecretKey, signCiphertext } from "@mls-relay/client";

const { url, message } = JSON.parse(readFileSync("task.json", "utf8"));
const [, domain] = message.recipient_address.split("@");
const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
const { addresses } = await device.register({ admission: { by: "proof" } });

const ciphertext = new TextEncoder().encode("to itself");
await device.send({ to: addresses[0], ciphertext, signature: signCiphertext(newSecretKey(), ciphertext) });

const text = await new Promise((resolve, reject) => {
  const receiving = device.receive({
    // What stands before the relay hands on requests, and no streams.
    transport: "poll",
    handle(message) {
      setTimeout(() => receiving.stop().then(() => resolve(new TextDecoder().decode(message.ciphertext))));
    },
    onProblem: reject,
  });
});
if (text !== "to itself") throw new Error(`received ${text}`);
console.log("done");
