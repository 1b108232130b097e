import { readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { Logger } from "../../platform/logger.js";
import { createSideListener, type SideListener } from "../../platform/net/side-listener.js";
import type { AcmeFiles } from "./files.js";

/** The answers to pending challenges of the type HTTP-01 (RFC 8555, section 8.3), and the listener that gives them. */
interface Challenges extends Pick<SideListener, "start" | "stop"> {
  add(token: string, answer: string): Promise<void>;
  remove(token: string): Promise<void>;
}

const prefix = "/.well-known/acme-challenge/";
const tokenPattern = /^[A-Za-z0-9_-]{1,200}$/;
const bounds = { maxConnections: 200, maxConnectionsPerAddress: 50, requestSeconds: 10, stallSeconds: 60 };

/** Every other request is sent to the relay's HTTPS address. */
export function createChallenges(deps: {
  host: string;
  port: number;
  files: Pick<AcmeFiles, "challenges">;
  baseUrl: string;
  logger: Logger;
}): Challenges {
  const { files, logger } = deps;
  const fileOf = (token: string): string => path.join(files.challenges, token);
  const { start, stop } = createSideListener({
    at: { host: deps.host, port: deps.port },
    bounds,
    answer(request, response) {
      answer(request, response, deps).catch((error: unknown) => {
        logger.warn({ err: error }, "a challenge of the certificate authority could not be answered");
        response.writeHead(500).end();
      });
    },
    purpose: "certificate challenges",
    logger,
  });
  return {
    ...{ start, stop },
    add: (token, text) => writeFile(fileOf(checked(token)), text, { mode: 0o600 }),
    remove: (token) => rm(fileOf(checked(token)), { force: true }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse, { baseUrl }: { baseUrl: string }) {
    request.resume();
    const url = request.url ?? "/";
    const token = url.startsWith(prefix) ? url.slice(prefix.length) : "";
    if (tokenPattern.test(token)) {
      const text = await readFile(fileOf(token), "utf8").catch(() => undefined);
      if (text === undefined) return void response.writeHead(404).end();
      return void response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(text);
    }
    const target = url.startsWith("/") ? url : "/";
    response.writeHead(308, { Location: new URL(baseUrl).origin + target }).end();
  }
}

/** A token becomes a file's name. */
function checked(token: string): string {
  if (!tokenPattern.test(token)) throw new Error("the certificate authority sent a token of the wrong form");
  return token;
}
