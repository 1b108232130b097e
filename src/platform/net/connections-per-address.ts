import type { Server } from "node:http";
import type { Socket } from "node:net";
import { isTrustedProxy, type TrustedProxies } from "../addresses/client-ip.js";
import { networkKey } from "../addresses/network-key.js";
import { NetworkCounts } from "./network-counts.js";

/**
 * Closes a connection from a network address that already has as many open ones as it may. Behind a proxy all clients
 * come from one address, so connections from trusted proxies are not counted.
 */
export function limitPerAddress(
  server: Server,
  limits: { limit: number; siteFactor: number },
  trustedProxies: TrustedProxies,
): void {
  const counts = new NetworkCounts(limits);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // The client has already gone.
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrustedProxy(remoteAddress, trustedProxies)) return;
    const network = networkKey(remoteAddress);
    if (counts.enter(network) !== undefined) return void socket.destroy();
    socket.once("close", () => counts.leave(network));
  });
}
