import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { absent, contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { cargoTarget, openapiGeneratorJar, progenitorProgram } from "../tools.js";

export const rustToolchains: readonly Toolchain[] = [
  {
    name: "progenitor (Rust)",
    long: true,
    missing: () => absent("cargo"),
    async run(place) {
      const input = ["-i", contractOf(place.project, "openapi-3.0.json")];
      const output = ["-o", join(place.folder, "made"), "-n", "relay-client", "-v", "0.1.0"];
      await demand(await progenitorProgram(), ["progenitor", ...input, ...output], place.folder);
      await compileAndRun(place, {
        program: "progenitor.rs",
        crate: "relay-client",
        reqwest: '{ version = "0.13", default-features = false }',
      });
    },
  },
  {
    name: "openapi-generator (Rust)",
    long: true,
    missing: () => absent("cargo", "java", "mvn"),
    async run(place) {
      const output = ["-g", "rust", "-o", join(place.folder, "made")];
      const generate = ["generate", "-i", contractOf(place.project), ...output];
      await demand("java", ["-jar", await openapiGeneratorJar(), ...generate], place.folder);
      await compileAndRun(place, {
        program: "openapi-generator.rs",
        crate: "openapi",
        reqwest: '{ version = "0.12", default-features = false }',
      });
    },
  },
];

interface Client {
  program: string;
  /** The name of the generated crate. */
  crate: string;
  reqwest: string;
}

async function compileAndRun({ project, folder, task }: Place, { program, crate, reqwest }: Client): Promise<void> {
  await mkdir(join(folder, "src"));
  await copyFile(join(project, "scripts/clients/rust", program), join(folder, "src/main.rs"));
  const manifest = [
    '[package]\nname = "client"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]',
    `${crate} = { path = "made" }`,
    `reqwest = ${reqwest}`,
    'serde = { version = "1", features = ["derive"] }\nserde_json = "1"',
    'tokio = { version = "1", features = ["macros", "rt"] }',
  ];
  await writeFile(join(folder, "Cargo.toml"), `${manifest.join("\n")}\n`);
  await demandDone("cargo", ["run", "-q", "--target-dir", cargoTarget, "--", task], folder);
}
