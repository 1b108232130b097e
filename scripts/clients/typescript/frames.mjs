// Makes classes of the stream's frames with Modelina: node frames.mjs <asyncapi.json> <folder>
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  GO_COMMON_PRESET,
  GoGenerator,
  JAVA_JACKSON_PRESET,
  JavaGenerator,
  KotlinGenerator,
  PYTHON_PYDANTIC_PRESET,
  PythonGenerator,
  TypeScriptGenerator,
} from "@asyncapi/modelina";

const [file = "", folder = ""] = process.argv.slice(2);
const document = JSON.parse(await readFile(file, "utf8"));
const languages = {
  ts: new TypeScriptGenerator({ modelType: "interface", enumType: "union", rawPropertyNames: true }),
  py: new PythonGenerator({ presets: [PYTHON_PYDANTIC_PRESET] }),
  java: new JavaGenerator({ presets: [JAVA_JACKSON_PRESET] }),
  go: new GoGenerator({ presets: [{ preset: GO_COMMON_PRESET, options: { addJsonTag: true } }] }),
  kt: new KotlinGenerator(),
};

const inSnakeCase = (name) => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

for (const [ending, generator] of Object.entries(languages)) {
  const options = { packageName: "frames", exportType: "named" };
  const models = await generator.generateCompleteModels(structuredClone(document), options);
  const target = join(folder, ending, "frames");
  await mkdir(target, { recursive: true });
  for (const { modelName, result } of models) {
    // Python's models name their modules in snake case; a model without a name is what operations have in common.
    if (modelName === "") continue;
    const name = ending === "py" ? inSnakeCase(modelName) : modelName;
    await writeFile(join(target, `${name}.${ending}`), `${result}\n`);
  }
}
console.log("done");
