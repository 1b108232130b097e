import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { type RequestHandler, type Response, Router } from "express";
import { packageRoot } from "../../platform/package-root.js";
import type { ServingRelay } from "./served-document.js";
import { statusPage, statusScript, statusStyle } from "./status-page.js";

/** A built file, and the same compressed. */
interface BuiltFile {
  type: string;
  body: Buffer;
  compressed: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Nothing but the page's own files, and data from this server: no inline script or style, no frame, no form target. */
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

/** The names of assets hold a hash of their content, so a copy is good for as long as a browser keeps it. */
const ASSET_CACHING = "public, max-age=31536000, immutable";
const PAGE_CACHING = "no-cache";

/** Serves the status page at `/` and the administrators' console at `/console/`, as it was built into the package. */
export function createConsoleRoutes(relay: ServingRelay): RequestHandler {
  // `/console` and `/console/` are different bases for the relative addresses in the page.
  const router = Router({ strict: true });
  const files = new Map<string, BuiltFile>();
  router.get("/", textRoute("text/html", statusPage(relay)));
  router.get("/status.css", textRoute("text/css", statusStyle));
  router.get("/status.js", textRoute("text/javascript", statusScript));
  router.get("/console", (_request, response) => {
    protect(response).redirect(308, "console/");
  });
  router.get(
    "/console/",
    fileRoute(files, () => "index.html"),
  );
  router.get(
    "/console/assets/:name",
    fileRoute(files, (name) => `assets/${name}`),
  );
  return router;
}

function fileRoute(files: Map<string, BuiltFile>, nameOf: (parameter: string) => string): RequestHandler {
  return (request, response, next) => {
    if (files.size === 0) readBuiltFiles(files);
    const name = nameOf(String(request.params["name"]));
    const file = files.get(name);
    if (file === undefined) return next();
    const isCompressed = request.acceptsEncodings("gzip") === "gzip";
    if (isCompressed) response.set("Content-Encoding", "gzip");
    response.vary("Accept-Encoding").set("Cache-Control", name === "index.html" ? PAGE_CACHING : ASSET_CACHING);
    protect(response)
      .type(file.type)
      .send(isCompressed ? file.compressed : file.body);
  };
}

/** All of the console, read once. A checkout that was not built has none of it. */
function readBuiltFiles(files: Map<string, BuiltFile>): void {
  const folder = new URL("dist/console/", packageRoot());
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const body = readFileSync(new URL(name.replaceAll("\\", "/"), folder));
    files.set(name.replaceAll("\\", "/"), { type, body, compressed: gzipSync(body) });
  }
}

function textRoute(type: string, body: string): RequestHandler {
  return (_request, response) => {
    protect(response).set("Cache-Control", PAGE_CACHING).type(type).send(body);
  };
}

function protect(response: Response): Response {
  return response.set({
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}
