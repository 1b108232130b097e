import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { mebibyte } from "../protocol/units.js";

/** How to reach a relay whose name is not yet in DNS, or whose certificate is from a private authority. */
export interface Route {
  /** Connects to this host and port instead of the URL's. */
  connect?: { host: string; port: number };
  /** Certificate authorities (PEM) that are trusted instead of the system's. */
  ca?: string;
  /** Any certificate will do, because nothing that matters is sent or believed. */
  anyCertificate?: true;
}

interface Call {
  method: string;
  url: URL;
  body?: object;
  route: Route;
  timeoutMillis: number;
}

const maxAnswerBytes = mebibyte;

/** One HTTP call with or without a JSON body. Does not follow redirects. */
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
    ...(isTls && {
      servername: isIP(url.hostname) === 0 ? url.hostname : "",
      ...(route.ca && { ca: route.ca }),
      rejectUnauthorized: route.anyCertificate !== true,
    }),
  } as const;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = isTls ? requestHttps(options, resolve) : requestHttp(options, resolve);
    const failed = (cause: Error) => reject(new Error(`${url.origin} cannot be reached`, { cause }));
    sent.on("error", failed).end(text);
  });
  return { status: response.statusCode ?? 0, body: await readJson(response) };
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return {};
  }
}
