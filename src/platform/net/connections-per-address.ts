import type { Server } from "node:http";
import type { Socket } from "node:net";
import { isTrustedProxy, networkKey, type TrustedProxies } from "../addresses/client-ip.js";

/**
 * Closes a connection from a network address that already has `limit` open ones. Behind a proxy all clients come from
 * one address, so connections from trusted proxies are not counted.
 */
export function limitPerAddress(server: Server, limit: number, trustedProxies: TrustedProxies): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // The client has already gone.
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrustedProxy(remoteAddress, trustedProxies)) return;
    const network = networkKey(remoteAddress);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > limit) return void socket.destroy();
    counts.set(network, count);
    socket.once("close", () => {
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });
}
