import type { RequestHandler, Response } from "express";
import { Router } from "./bundled-packages.js";
import type { ServingRelay } from "./served-document.js";
import { icon, statusPage, statusScript, statusStyle } from "./status-page.js";
import { IMMUTABLE, REVALIDATED, type StoredFile, sendStored, storedFolder, storedText } from "./stored-files.js";

/** Allows only the page's files and data from this server: no inline script or style, no frame, no form target. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the status page at `/` and the administrators' console at `/console/`, as it was built into the package. */
export function createConsoleRoutes(relay: ServingRelay): RequestHandler {
  // `/console` and `/console/` are different bases for the relative addresses in the page.
  const router = Router({ strict: true });
  router.get("/", textRoute("text/html", statusPage(relay)));
  router.get("/status.css", textRoute("text/css", statusStyle));
  router.get("/status.js", textRoute("text/javascript", statusScript));
  router.get("/favicon.svg", textRoute("image/svg+xml", icon));
  router.get("/console", (_request, response) => {
    protect(response).redirect(308, "console/");
  });
  const files = storedFolder("console");
  router.get(
    "/console/",
    fileRoute(REVALIDATED, () => files().get("index.html")),
  );
  router.get(
    "/console/assets/:name",
    fileRoute(IMMUTABLE, (name) => files().get(`assets/${name}`)),
  );
  return router;
}

function fileRoute(caching: string, fileOf: (name: string) => StoredFile | undefined): RequestHandler {
  return (request, response, next) => {
    const file = fileOf(String(request.params["name"]));
    if (file === undefined) return next();
    sendStored(request, protect(response).set("Cache-Control", caching), file);
  };
}

function textRoute(type: string, text: string): RequestHandler {
  const file = storedText(type, text);
  return fileRoute(REVALIDATED, () => file);
}

function protect(response: Response): Response {
  return response.set({
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}
