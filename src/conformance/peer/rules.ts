import { createPublicKey, X509Certificate } from "node:crypto";
import { compactVerify } from "jose";
import { hold, same } from "../harness/assertions.js";
import type { ArrivedMessage, Peer } from "./server.js";

/** What rules about deliveries work with. */
interface PeerContext {
  peer: Peer;
  /** The domain of the server under test. */
  domain: string;
  /** Sends a message through the server under test to an address of the peer, and returns its id. */
  send(): Promise<string>;
}

/** A rule about what the server under test does to other servers. */
interface PeerRule {
  id: string;
  title: string;
  source: string;
  check(context: PeerContext): Promise<void>;
}

export const deliveryRules: readonly PeerRule[] = [
  {
    id: "delivery.plain",
    title: "a message to another server is delivered there once, with the specified members",
    source: "openapi: deliverTransaction; specification, Federation",
    async check({ peer, send }) {
      const id = await send();
      await peer.until(() => arrivals(peer, id).length > 0, "the message was not delivered");
      const [message] = arrivals(peer, id);
      same(message?.recipient_address.split("@")[1], peer.domain, "the domain of recipient_address");
      hold(peer.authentications.length > 0, "it was delivered before the server authenticated");
      await send().then((next) =>
        peer.until(() => arrivals(peer, next).length > 0, "a second message was not delivered"),
      );
      same(arrivals(peer, id).length, 1, "how often the message came");
      requireNoProblems(peer);
    },
  },
  {
    id: "delivery.answer",
    title: "the answer to the challenge names the nonce and both servers, and is signed by the certificate's key",
    source: "openapi: authenticateServer, challenge_response",
    async check({ peer, domain, send }) {
      const id = await send();
      await peer.until(() => arrivals(peer, id).length > 0, "the message was not delivered");
      const { nonce = "", answer = "", certificate = "" } = peer.authentications.at(-1) ?? {};
      const leaf = new X509Certificate(Buffer.from(certificate, "base64"));
      const key = createPublicKey(leaf.publicKey.export({ format: "pem", type: "spki" }));
      const { payload, protectedHeader } = await compactVerify(answer, key);
      same(protectedHeader.typ, "svc-federation-answer+jwt", "typ");
      const claims = JSON.parse(Buffer.from(payload).toString("utf8"));
      same([claims.nonce, claims.origin_server, claims.aud], [nonce, domain, peer.domain], "the claims");
    },
  },
  {
    id: "delivery.renewal",
    title: "a server whose token has expired authenticates again and delivers",
    source: "openapi: deliverTransaction; errors.yaml: INVALID_TOKEN",
    async check({ peer, send }) {
      const before = peer.authentications.length;
      peer.react("token expired");
      const id = await send();
      await peer.until(() => arrivals(peer, id).length > 0, "the message was not delivered");
      hold(peer.authentications.length > before, "it did not authenticate again");
    },
  },
  {
    id: "delivery.busy",
    title: "a message that a busy server refuses is delivered later",
    source: "openapi: deliverTransaction; specification, Federation",
    async check({ peer, send }) {
      peer.react("busy");
      const id = await send();
      await peer.until(() => arrivals(peer, id).length > 1, "it was given up");
      requireNoProblems(peer);
    },
  },
  {
    id: "delivery.repetition",
    title: "a delivery whose answer was lost is repeated with the same transaction id and the same messages",
    source: "openapi: deliverTransaction; specification, Federation",
    async check({ peer, send }) {
      peer.react("answer lost");
      const id = await send();
      await peer.until(() => arrivals(peer, id).length > 1, "it was given up");
      const [first, second] = peer.attempts.filter(({ messages }) => messages.some((one) => one.message_id === id));
      same(second?.transactionId, first?.transactionId, "the transaction id of the repetition");
      same(second?.messages, first?.messages, "the messages of the repetition");
    },
  },
  {
    id: "delivery.rejected",
    title: "a message that another server rejects is not delivered again, and the next one is delivered",
    source: "openapi: deliverTransaction; specification, Federation",
    async check({ peer, send }) {
      peer.react("reject");
      const rejected = await send();
      await peer.until(() => arrivals(peer, rejected).length > 0, "the message was not delivered");
      for (const _ of ["first", "second"]) {
        const id = await send();
        await peer.until(() => arrivals(peer, id).length > 0, "the next message was not delivered");
      }
      same(arrivals(peer, rejected).length, 1, "how often the rejected message came");
    },
  },
];

function arrivals({ attempts }: Peer, id: string): ArrivedMessage[] {
  return attempts.flatMap(({ messages }) => messages.filter(({ message_id }) => message_id === id));
}

function requireNoProblems(peer: Peer): void {
  const problems = peer.takeProblems();
  hold(problems.length === 0, problems.slice(0, 3).join("; "));
}
