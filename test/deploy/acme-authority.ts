import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An ACME server that issues nothing: it refuses, limits or says nothing. */
export interface UnwillingAuthority {
  directory: string;
  /** The number of orders that it was sent. */
  orders(): number;
  /** How it answers an order; it says nothing until it is set. */
  answer(response: ServerResponse): void;
  stop(): Promise<void>;
}

export async function startUnwillingAuthority(): Promise<UnwillingAuthority> {
  let orders = 0;
  let url = "";
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    const reply = (status: number, body: object) => {
      const headers = { "Replay-Nonce": "bm9uY2U", "Content-Type": "application/json", Location: `${url}/account/1` };
      response.writeHead(status, headers).end(JSON.stringify(body));
    };
    if (request.url === "/directory") {
      reply(200, { newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` });
    } else if (request.url === "/order") {
      orders += 1;
      authority.answer(response);
    } else reply(request.url === "/account" ? 201 : 200, {});
  };
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authority: UnwillingAuthority = {
    directory: `${url}/directory`,
    orders: () => orders,
    answer: () => undefined,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return authority;
}

/** Answers with a problem document (RFC 8555, section 6.7). */
export function refuse(status: number, given: { type: string; detail: string; retryAfter?: string }) {
  const { type, detail, retryAfter } = given;
  return (response: ServerResponse): void => {
    const headers = { "Content-Type": "application/problem+json", ...(retryAfter && { "Retry-After": retryAfter }) };
    response.writeHead(status, headers).end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }));
  };
}
