import { LimitReached, NotChecked, same, success } from "../harness/assertions.js";
import { originOf } from "../harness/origin.js";
import type { Harness, Rule } from "../harness/types.js";
import { deliveryRules } from "../peer/rules.js";
import { type Peer, startPeer } from "../peer/server.js";

/** Rules about what the server delivers to the suite's own server. */
export const reachedRules: readonly Rule[] = deliveryRules.map(({ check, ...rule }) => ({
  ...rule,
  requires: ["listening origin"],
  check: async (harness) => {
    const peer = await listeningOrigin(harness);
    await check({ peer, domain: harness.domain, send: () => sendAway(harness, peer.domain) });
  },
}));

const listening = new WeakMap<Harness, Promise<Peer>>();

/** The suite's server where the server under test reaches it, the same for all rules. */
function listeningOrigin(harness: Harness): Promise<Peer> {
  const known = listening.get(harness);
  if (known !== undefined) return known;
  const { domain, cert, key, listen } = originOf(harness);
  if (listen === undefined) throw new NotChecked("the suite's server has no address to listen at");
  const started = startPeer({ domain, cert, key, ...listen });
  listening.set(harness, started);
  harness.onEnd(async () => (await started).stop());
  return started;
}

async function sendAway(harness: Harness, domain: string): Promise<string> {
  const alice = await harness.alice();
  const body = alice.message(`${harness.random.uuid()}@${domain}`);
  const answer = await alice.call("sendMessage", { body });
  if (answer.status === 429) throw new LimitReached("the suite's device may send no more for now");
  same(success(answer, 202).status, "federated", "status");
  return answer.body.message_id;
}
