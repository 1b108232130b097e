import { type RequestHandler, Router } from "express";
import { pageHeaders } from "./page-headers.js";
import type { ServingRelay } from "./served-document.js";
import { icon, statusPage, statusScript, statusStyle } from "./status-page.js";
import { fileRoute, IMMUTABLE, REVALIDATED, storedFolder, storedText } from "./stored-files.js";

const protection = { ...pageHeaders(), "Cross-Origin-Opener-Policy": "same-origin" };

/** Serves the status page at `/` and the administrators' console at `/console/`, as it was built into the package. */
export function createConsoleRoutes(relay: ServingRelay): RequestHandler {
  // `/console` and `/console/` are different bases for the relative addresses in the page.
  const router = Router({ strict: true });
  router.get("/", textRoute("text/html", statusPage(relay)));
  router.get("/status.css", textRoute("text/css", statusStyle));
  router.get("/status.js", textRoute("text/javascript", statusScript));
  router.get("/favicon.svg", textRoute("image/svg+xml", icon));
  router.get("/console", (_request, response) => {
    response.set(protection).redirect(308, "console/");
  });
  const files = storedFolder("console");
  router.get(
    "/console/",
    fileRoute({ ...protection, ...REVALIDATED }, () => files().get("index.html")),
  );
  router.get(
    "/console/assets/:name",
    fileRoute({ ...protection, ...IMMUTABLE }, (name) => files().get(`assets/${name}`)),
  );
  return router;
}

function textRoute(type: string, text: string): RequestHandler {
  const file = storedText(type, text);
  return fileRoute({ ...protection, ...REVALIDATED }, () => file);
}
