import { readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { packageRoot } from "../../platform/package-root.js";
import { preparedAsyncapi } from "./asyncapi.js";
import { Router } from "./bundled-packages.js";
import { createConsoleRoutes } from "./console.js";
import { refuseNavigation } from "./not-found.js";
import { pageHeaders } from "./page-headers.js";
import { type ServingRelay, servedDocument } from "./served-document.js";
import { fileRoute, IMMUTABLE, REVALIDATED, sendStored, storedFolder, storedText } from "./stored-files.js";

const DOCUMENTS: Record<string, string> = {
  "openapi.json": "application/json",
  "openapi-3.0.json": "application/json",
  "openapi.yaml": "application/yaml",
  "asyncapi.json": "application/json",
  "asyncapi.yaml": "application/yaml",
};

/** The pages of `dist/pages`, by their paths. */
const PAGES: Record<string, string> = {
  "/docs": "index.html",
  "/docs/openapi": "openapi.html",
  "/docs/asyncapi": "asyncapi.html",
};

/** Shorter paths that people try, because they know the names of the documents. */
const SHORT_PATHS: Record<string, string> = { "/openapi": "/docs/openapi", "/asyncapi": "/docs/asyncapi" };

/** Both renderers set style attributes. */
const protection = pageHeaders({ style: "'self' 'unsafe-inline'" });

/**
 * Serves the two contracts as documents, which pages of any origin may read, and as pages for people at /docs. All files
 * come from this package; a page sends no request to any other host.
 */
export function createDocumentRoutes(relay: ServingRelay): RequestHandler {
  const router = Router();
  for (const [name, type] of Object.entries(DOCUMENTS)) {
    router.get(
      `/${name}`,
      documentRoute(type, () => servedDocument(readGenerated(name), relay)),
    );
  }
  const pages = storedFolder("pages");
  for (const [path, name] of Object.entries(PAGES)) {
    router.get(
      path,
      fileRoute({ ...protection, ...REVALIDATED }, () => pages().get(name)),
    );
  }
  router.get(
    "/docs/assets/:name",
    fileRoute({ ...protection, ...IMMUTABLE }, (name) => pages().get(`assets/${name}`)),
  );
  const prepared = madeOnce(() => storedText("application/json", preparedText(relay)));
  router.get("/docs/asyncapi-prepared.json", fileRoute({ ...protection, ...REVALIDATED }, prepared));
  for (const [path, page] of Object.entries(SHORT_PATHS)) {
    router.get(path, (_request, response) => response.set(protection).redirect(308, page));
  }
  router.use(createConsoleRoutes(relay));
  router.use(refuseNavigation(relay, protection));
  return router;
}

function documentRoute(type: string, text: () => string): RequestHandler {
  const file = madeOnce(() => storedText(type, text()));
  return (request, response) => {
    response.set({ "Access-Control-Allow-Origin": "*", ...REVALIDATED });
    sendStored(request, response, file());
  };
}

/**
 * Most relays are never asked for most documents: reading and compressing all of them at every start would take time
 * and memory.
 */
function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function preparedText(relay: ServingRelay): string {
  const document = JSON.parse(servedDocument(readGenerated("asyncapi.json"), relay)) as Record<string, unknown>;
  return JSON.stringify(preparedAsyncapi(document));
}

function readGenerated(name: string): string {
  return readFileSync(new URL(`generated/${name}`, packageRoot()), "utf8");
}
