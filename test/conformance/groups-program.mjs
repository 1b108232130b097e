// What `mls-relay-conformance groups` starts, written with @mls-relay/groups: it founds groups, sends and renames as it is told,
// and prints the texts that it receives.
import { createInterface } from "node:readline";
import { memoryStore, openGroups, tsMls } from "@mls-relay/groups";

const { RELAY_URL: relay, RELAY_DOMAIN: domain } = process.env;
const me = await openGroups({ relay, domain, store: memoryStore(), name: "Ada", mls: tsMls() });
me.subscribe(({ type, message }) => {
  if (type === "message" && !message.isMine) console.log(`received ${message.text}`);
});
console.log(`ready ${me.address}`);
let group;
for await (const line of createInterface({ input: process.stdin })) {
  const [word, value, ...addresses] = line.split(" ");
  if (word === "found") {
    group = await me.create({ name: value });
    await group.add(addresses);
  } else if (word === "send") await group.send({ text: value });
  else if (word === "rename") await group.rename(value);
}
await me.close();
