import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { mebibyte } from "../protocol/units.js";

/** How a relay is reached that its name does not lead to yet, or that a private authority has certified. */
export interface Route {
  /** Connect to this host and port, and go on as if they were the URL's. */
  connect?: { host: string; port: number };
  /** Certificate authorities in PEM that are trusted in place of the system's. */
  ca?: string;
}

interface Call {
  method: string;
  url: URL;
  body?: object;
  route: Route;
  timeoutMillis: number;
}

const longestAnswerBytes = mebibyte;

/** One call with a JSON body or none. Follows no redirect. */
export async function callDirectly(call: Call): Promise<{ status: number; body: unknown }> {
  const { method, url, body, route, timeoutMillis } = call;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const isTls = url.protocol === "https:";
  const options = {
    method,
    host: route.connect?.host ?? url.hostname.replace(/^\[|\]$/g, ""),
    port: route.connect?.port ?? (url.port || (isTls ? 443 : 80)),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...(text !== undefined && { "content-type": "application/json" }) },
    signal: AbortSignal.timeout(timeoutMillis),
    agent: false,
    ...(isTls && { servername: isIP(url.hostname) === 0 ? url.hostname : "", ...(route.ca && { ca: route.ca }) }),
  } as const;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = isTls ? requestHttps(options, resolve) : requestHttp(options, resolve);
    sent.on("error", reject).end(text);
  });
  return { status: response.statusCode ?? 0, body: await readJson(response) };
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > longestAnswerBytes) throw new Error("the answer is too long");
    chunks.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return {};
  }
}
