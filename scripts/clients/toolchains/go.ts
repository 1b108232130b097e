import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { absent, contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";

const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2";
const ogen = "github.com/ogen-go/ogen";

/** A Go program has no `--version` option, but a version subcommand. */
const missing = () => absent("go");

export const goToolchains: readonly Toolchain[] = [
  {
    name: "oapi-codegen (Go)",
    long: false,
    missing,
    async run(place) {
      await begin(place, { program: "oapi-codegen", module: oapiCodegen, version: "v2.8.2" });
      const config = join(place.project, "scripts/clients/go/oapi-codegen/oapi-codegen.yaml");
      const generator = [`${oapiCodegen}/cmd/oapi-codegen`, "-config", config, contractOf(place.project)];
      await demand("go", ["run", "-mod=mod", ...generator], place.folder);
      await compileAndRun(place);
    },
  },
  {
    name: "ogen (Go)",
    long: true,
    missing,
    async run(place) {
      await begin(place, { program: "ogen", module: ogen, version: "v1.20.0" });
      const output = ["--target", "relay", "--package", "relay", contractOf(place.project, "openapi-3.0.json")];
      await demand("go", ["run", "-mod=mod", `${ogen}/cmd/ogen`, ...output], place.folder);
      await compileAndRun(place);
    },
  },
];

interface Generator {
  program: string;
  module: string;
  version: string;
}

async function begin({ project, folder }: Place, { program, module, version }: Generator): Promise<void> {
  await mkdir(join(folder, "relay"));
  await copyFile(join(project, "scripts/clients/go", program, "main.go"), join(folder, "main.go"));
  await writeFile(join(folder, "go.mod"), `module example.com/client\n\ngo 1.25\n\nrequire ${module} ${version}\n`);
}

async function compileAndRun({ folder, task }: Place): Promise<void> {
  await demand("go", ["mod", "tidy"], folder);
  await demand("go", ["vet", "./..."], folder);
  await demandDone("go", ["run", ".", task], folder);
}
