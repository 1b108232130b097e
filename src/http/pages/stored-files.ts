import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Request, RequestHandler, Response } from "express";
import { packageRoot } from "../../platform/package-root.js";

/** A body to serve, its compressed forms, and their entity tags. */
interface StoredFile {
  type: string;
  plain: Encoded;
  br?: Encoded | undefined;
  gzip?: Encoded | undefined;
}

type Encoded = ReturnType<typeof encoded>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

/** The file's name contains a hash of its content, so a browser may keep a copy forever. */
export const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" } as const;
/** A browser may keep a copy but must revalidate it by its ETag, so that a new version is seen at once. */
export const REVALIDATED = { "Cache-Control": "no-cache" } as const;

/** A text that this process made. */
export function storedText(type: string, text: string): StoredFile {
  const gzip = gzipSync(text);
  return { type, plain: encoded(() => gunzipSync(gzip)), gzip: encoded(() => gzip) };
}

/** The files of a folder of `dist/`, by their paths in it, found at the first call. An unbuilt checkout has none. */
export function storedFolder(name: string): () => ReadonlyMap<string, StoredFile> {
  let files: ReadonlyMap<string, StoredFile> = new Map();
  return () => {
    if (files.size === 0) files = readFolder(new URL(`dist/${name}/`, packageRoot()));
    return files;
  };
}

/** Serves a file with these headers, by the parameter `name` of the path; the next handler answers if there is none. */
export function fileRoute(
  headers: Readonly<Record<string, string>>,
  fileOf: (name: string) => StoredFile | undefined,
): RequestHandler {
  return (request, response, next) => {
    const file = fileOf(String(request.params["name"]));
    if (file === undefined) return next();
    sendStored(request, response.set(headers), file);
  };
}

/** Sends a file in the smallest encoding that the client accepts, or reports that the client has it already. */
export function sendStored(request: Request, response: Response, file: StoredFile): void {
  const encoding = (["br", "gzip"] as const).find((name) => file[name] && request.acceptsEncodings(name) === name);
  const { body, etag } = (encoding && file[encoding]) ?? file.plain;
  if (encoding !== undefined) response.set("Content-Encoding", encoding);
  response.vary("Accept-Encoding").set("ETag", etag()).type(file.type).send(body());
}

function readFolder(folder: URL): Map<string, StoredFile> {
  const files = new Map<string, StoredFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const name = entry.replaceAll("\\", "/");
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const read = (suffix: string) => readEncoded(new URL(name + suffix, folder));
    const plain = encoded(() => readFileSync(new URL(name, folder)));
    files.set(name, { type, plain, br: read(".br"), gzip: read(".gz") });
  }
  return files;
}

function readEncoded(file: URL): Encoded | undefined {
  return existsSync(file) ? encoded(() => readFileSync(file)) : undefined;
}

/** The body is in memory only while it is being sent: few people read these pages, and all of them take 4 MB. */
function encoded(read: () => Buffer) {
  let kept: WeakRef<Buffer> | undefined;
  let etag: string | undefined;
  const body = (): Buffer => {
    const found = kept?.deref() ?? read();
    if (kept?.deref() !== found) kept = new WeakRef(found);
    return found;
  };
  return {
    body,
    etag(): string {
      etag ??= `"${createHash("sha256").update(body()).digest("base64url").slice(0, 22)}"`;
      return etag;
    },
  };
}
