import type { Request, RequestHandler } from "express";
import { isNavigation } from "../request/navigation.js";
import { displayName, htmlPage } from "./html-page.js";
import type { ServingRelay } from "./served-document.js";

/**
 * Answers a person who opens an unknown address with a page that links to others. Programs get the error of the
 * catalogue from the next handler.
 */
export function refuseNavigation(relay: ServingRelay, policy: Readonly<Record<string, string>>): RequestHandler {
  const page = notFoundPage(relay);
  return (request, response, next) => {
    response.vary("Sec-Fetch-Mode").vary("Accept");
    if (!asksForPage(request)) return next();
    response
      .status(404)
      .set({ ...policy, "Cache-Control": "no-store" })
      .type("text/html")
      .send(page);
  };
}

function asksForPage({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && isNavigation(headers);
}

function notFoundPage(relay: ServingRelay): string {
  const name = displayName(relay);
  const main = `      <h1>There is no page at this address</h1>
      <p>This is the relay ${name}. It has these pages:</p>
      <ul>
        <li><a href="/">Whether the relay is up</a></li>
        <li><a href="/docs">Documentation of the interface</a>: <a href="/docs/openapi">requests</a> and
          <a href="/docs/asyncapi">the stream</a></li>
        <li><a href="/console/">Console for administrators</a></li>
      </ul>`;
  return htmlPage({ title: `Not found, ${name}`, main });
}
