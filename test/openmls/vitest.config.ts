import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.js";

// `npm run lab -- openmls`: what is not in `npm test`, because it needs cargo and takes minutes to compile.
export default defineConfig({
  ...base,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { ...base.test, include: ["test/openmls/members.ts"] },
});
