import { type RequestHandler, Router } from "express";
import { pageHeaders } from "./page-headers.js";
import { fileRoute, IMMUTABLE, REVALIDATED, storedFolder } from "./stored-files.js";

/**
 * Attachments of people of other relays are on those relays. A decrypted picture is a blob: address, and so is the worker that
 * computes the proof of a registration.
 */
const policy = pageHeaders({
  connect: "https:",
  img: "blob: data:",
  more: ["manifest-src 'self'", "worker-src 'self' blob:"],
});
const protection = { ...policy, "Cross-Origin-Opener-Policy": "same-origin" };

/** Serves the messenger at `/app/`, as it was built into the package. */
export function createAppRoutes(): RequestHandler {
  const router = Router({ strict: true });
  const files = storedFolder("app");
  router.get("/app", (_request, response) => response.set(protection).redirect(308, "app/"));
  router.get(
    "/app/",
    fileRoute({ ...protection, ...REVALIDATED }, () => files().get("index.html")),
  );
  router.get(
    "/app/assets/:name",
    fileRoute({ ...protection, ...IMMUTABLE }, (name) => files().get(`assets/${name}`)),
  );
  router.get(
    "/app/:name",
    fileRoute({ ...protection, ...REVALIDATED }, (name) => files().get(name)),
  );
  return router;
}
