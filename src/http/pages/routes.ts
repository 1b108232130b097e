import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type RequestHandler, Router } from "express";
import { packageRoot } from "../../platform/package-root.js";
import { createAppRoutes } from "./app.js";
import { preparedAsyncapi } from "./asyncapi.js";
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

/** The manual is in this folder, in Markdown. */
const MANUAL = new URL("docs/", packageRoot());

/** Shorter paths that people try, because they know the names of the documents. */
const SHORT_PATHS: Record<string, string> = { "/openapi": "/docs/openapi", "/asyncapi": "/docs/asyncapi" };

/** Both renderers set style attributes. */
const protection = pageHeaders({ style: "'self' 'unsafe-inline'" });

/**
 * Serves the two contracts as documents, which pages of any origin may read, and as pages for people at /docs; beside them
 * the manual, and its list for language models. All files come from this package; a page sends no request to any other host.
 */
export function createDocumentRoutes(relay: ServingRelay & { app?: "on" | "off" }): RequestHandler {
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
  router.get(
    "/docs/llms.txt",
    documentRoute("text/plain; charset=utf-8", () => readManual("llms.txt").replaceAll("](../generated/", "](../")),
  );
  const manual = madeOnce(() => new Map(listManual().map((name) => [name, markdownRoute(name)])));
  router.get(/^\/docs\/(?<page>.+\.md)$/, (request, response, next) => {
    const route = manual().get(String(request.params["page"]));
    if (route === undefined) next();
    else route(request, response, next);
  });
  for (const [path, page] of Object.entries(SHORT_PATHS)) {
    router.get(path, (_request, response) => response.set(protection).redirect(308, page));
  }
  router.use(createConsoleRoutes(relay));
  if (relay.app === "on") router.use(createAppRoutes());
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

function markdownRoute(name: string): RequestHandler {
  return documentRoute("text/markdown; charset=utf-8", () => readManual(name));
}

function listManual(): string[] {
  if (!existsSync(MANUAL)) return [];
  const names = readdirSync(MANUAL, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => name.replaceAll("\\", "/"));
}

function readManual(name: string): string {
  return readFileSync(new URL(name, MANUAL), "utf8");
}

function readGenerated(name: string): string {
  return readFileSync(new URL(`generated/${name}`, packageRoot()), "utf8");
}
