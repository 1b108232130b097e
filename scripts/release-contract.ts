import { copyFile, mkdir } from "node:fs/promises";

// Run for each release: from then on `npm run check` compares the contract with this one.
const root = new URL("../", import.meta.url);
const released = new URL("spec/released/", root);
await mkdir(released, { recursive: true });
for (const name of ["openapi.json", "asyncapi.json"]) {
  await copyFile(new URL(`generated/${name}`, root), new URL(name, released));
}
console.log("spec/released/ holds the present contract");
