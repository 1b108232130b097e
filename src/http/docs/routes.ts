import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type RequestHandler, type Response, Router } from "express";
import { packageRoot } from "../../platform/package-root.js";
import { preparedAsyncapi } from "./asyncapi.js";
import { createConsoleRoutes } from "./console.js";
import { asyncapiPage, asyncapiScript, indexPage, openapiPage, openapiScript, pageStyle } from "./pages.js";
import { type ServingRelay, servedDocument } from "./served-document.js";

const DOCUMENTS: Record<string, string> = {
  "openapi.json": "application/json",
  "openapi-3.0.json": "application/json",
  "openapi.yaml": "application/yaml",
  "asyncapi.json": "application/json",
  "asyncapi.yaml": "application/yaml",
};

/** Files of the renderers' packages, by the name they are served under. */
const ASSETS: Record<string, { package: string; path: string }> = {
  "swagger-ui.css": { package: "swagger-ui-dist", path: "swagger-ui.css" },
  "swagger-ui-bundle.js": { package: "swagger-ui-dist", path: "swagger-ui-bundle.js" },
  "asyncapi.css": { package: "@asyncapi/react-component", path: "styles/default.min.css" },
  "asyncapi.js": { package: "@asyncapi/react-component", path: "browser/standalone/without-parser.js" },
};

/**
 * Both renderers set style attributes; scripts come only from this server's files. The renderer of AsyncAPI compiles
 * schemas when it loads, which needs `eval`, so its page alone allows it.
 */
const PAGE_POLICY = policy("script-src 'self'");
const EVALUATING_PAGE_POLICY = policy("script-src 'self' 'unsafe-eval'");

/**
 * Serves the two contracts as documents, which pages of any origin may read, and as pages for people at /docs. All files
 * come from this package and its dependencies; a page sends no request to any other host.
 */
export function createDocumentRoutes(relay: ServingRelay): RequestHandler {
  const router = Router();
  for (const [name, type] of Object.entries(DOCUMENTS)) {
    router.get(`/${name}`, documentRoute(servedDocument(readGenerated(name), relay), type));
  }
  router.get("/docs", textRoute("text/html", indexPage));
  router.get("/docs/page.css", textRoute("text/css", pageStyle));
  router.get("/docs/openapi", textRoute("text/html", openapiPage));
  router.get("/docs/openapi.js", textRoute("text/javascript", openapiScript));
  router.get("/docs/asyncapi", textRoute("text/html", asyncapiPage, EVALUATING_PAGE_POLICY));
  router.get("/docs/asyncapi.js", textRoute("text/javascript", asyncapiScript));
  router.get("/docs/asyncapi-prepared.json", textRoute("application/json", preparedText(relay)));
  for (const [name, asset] of Object.entries(ASSETS)) router.get(`/docs/assets/${name}`, assetRoute(asset));
  router.use(createConsoleRoutes(relay));
  return router;
}

/** `no-cache` lets browsers keep a copy but check it by its ETag each time, so that a new version is seen at once. */
function documentRoute(body: string, type: string): RequestHandler {
  return (_request, response) => {
    response.set({ "Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache" });
    response.type(type).send(body);
  };
}

function textRoute(type: string, body: string, pagePolicy = PAGE_POLICY): RequestHandler {
  return (_request, response) => {
    protect(response, pagePolicy).set("Cache-Control", "no-cache").type(type).send(body);
  };
}

/** The folder is passed as `root`: otherwise, a file below a folder that begins with a dot would not be served. */
function assetRoute(asset: { package: string; path: string }): RequestHandler {
  const root = packageFolder(asset.package);
  return (_request, response, next) => {
    protect(response, PAGE_POLICY).sendFile(asset.path, { root, maxAge: "1h" }, (failure?: Error) => {
      if (failure !== undefined && !response.headersSent) next(failure);
    });
  };
}

function protect(response: Response, pagePolicy: string): Response {
  return response.set({
    "Content-Security-Policy": pagePolicy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
}

function policy(scripts: string): string {
  return [
    "default-src 'none'",
    scripts,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function preparedText(relay: ServingRelay): string {
  const document = JSON.parse(servedDocument(readGenerated("asyncapi.json"), relay)) as Record<string, unknown>;
  return JSON.stringify(preparedAsyncapi(document));
}

function readGenerated(name: string): string {
  return readFileSync(new URL(`generated/${name}`, packageRoot()), "utf8");
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(join(name, "package.json")));
}
