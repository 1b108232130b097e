// Registers a device with a proof, sends it a message, and receives that, in whatever runs JavaScript.
import { readFileSync } from "node:fs";
import { connectDevice, deviceKeysOf, newSecretKey } from "@mls-relay/client";

const { url, message } = JSON.parse(readFileSync("task.json", "utf8"));
const [, domain] = message.recipient_address.split("@");
const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
const { addresses } = await device.register({ admission: { by: "proof" } });

await device.send({ to: addresses[0], ciphertext: new TextEncoder().encode("to itself") });

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
