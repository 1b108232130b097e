import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.js";

const groups = ["addresses", "devices", "groups", "invitations", "messages", "roles", "trust", "welcomes"];
const hostile = ["composition", "continuity", "disputes", "removed"];

// `npm run lab -- openmls`: what is not in `npm test`, because it needs cargo and takes minutes to compile. The tests of groups run with members
// by both libraries.
export default defineConfig({
  ...base,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...base.test,
    include: [
      "test/openmls/members.ts",
      "test/openmls/libraries.ts",
      "test/openmls/hostile.ts",
      ...groups.map((name) => `test/groups/${name}.test.ts`),
      ...hostile.map((name) => `test/groups/hostile/${name}.test.ts`),
    ],
    globalSetup: [base.test?.globalSetup ?? [], "test/openmls/build.ts"].flat(),
    setupFiles: [base.test?.setupFiles ?? [], "test/openmls/mixed.ts"].flat(),
  },
});
