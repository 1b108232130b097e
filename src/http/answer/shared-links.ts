import type { IncomingHttpHeaders } from "node:http";
import { isNavigation } from "../request/navigation.js";
import type { RequestContext } from "../request/request-context.js";
import { type HeaderList, setHeaders } from "./answer.js";

// Addresses that people send to each other. They are opened by browsers and by programs that preview links, which would
// use up a download meant for a client of the relay, and they come back with parameters that trackers have added.

/** An application that opens shared links. */
export interface LinkApp {
  /** The address of its page. */
  page: string;
  /** The public address of this relay. */
  relay: string;
}

/** Parameters that mail programs, social networks and advertisers add to links. */
const trackingParameter = /^(?:utm_\w*|fbclid|gclid|msclkid|igshid|mc_cid|mc_eid)$/;

/** Programs that fetch a link in a message to show a preview, and accept any type. Their user agents name them. */
const previewer =
  /facebookexternalhit|facebot|twitterbot|slackbot|slack-imgproxy|discordbot|telegrambot|whatsapp|linkedinbot|skypeuripreview|pinterestbot|redditbot|bitlybot|embedly|iframely|mastodon/i;

/**
 * Whether a request for a shared link comes from a browser or a program that previews links: it asks for a page,
 * declares a prefetch, or has a known user agent. A request that asks for JSON or bytes by name comes from a client.
 */
export function isForReaders({ req: { headers } }: Pick<RequestContext, "req">): boolean {
  const accept = headers.accept ?? "";
  if (/\bapplication\/(?:json|octet-stream)\b/i.test(accept)) return false;
  if (isNavigation(headers)) return true;
  if (isPrefetch(headers)) return true;
  return previewer.test(headers["user-agent"] ?? "");
}

function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return /\bprefetch\b/i.test(`${headers["sec-purpose"] ?? ""} ${headers["purpose"] ?? ""}`);
}

/** A query without the parameters that others have added to the link. */
export function withoutTracking(queryString: string): string {
  if (queryString === "") return queryString;
  const isOwn = (parameter: string): boolean => !trackingParameter.test(parameter.split("=", 1)[0] ?? "");
  return queryString.split("&").filter(isOwn).join("&");
}

/**
 * Sends a browser on to the application, if there is one, and others a page that says what the link is for. Nothing is used up.
 * The browser appends the link's fragment, which has the key, to the new address.
 */
export function answerReader({ req, res, requestId }: RequestContext, headers: HeaderList, app: LinkApp | null): void {
  setHeaders(res, ["X-Request-Id", requestId, ...headers]);
  if (app !== null && isNavigation(req.headers) && !isPrefetch(req.headers)) {
    const to = new URL(app.page);
    to.hash = "";
    to.searchParams.set("info", app.relay + (req.url ?? "").replace(/\?.*$/, ""));
    res.writeHead(303, { Location: to.href, "Content-Length": 0 }).end();
    return;
  }
  res.writeHead(406, { "Content-Type": "text/html; charset=utf-8", "Content-Length": Buffer.byteLength(page) });
  res.end(page);
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>A link for an app</title>
  </head>
  <body>
    <h1>This link is for an app</h1>
    <p>It leads to an encrypted document, such as a profile or an invitation, that only a messaging app can open. Open it
      there, or scan its code with the app. Nothing was used up by looking at it here.</p>
  </body>
</html>
`;
