import type { Toolchain } from "./toolchain.js";
import { documentToolchains } from "./toolchains/documents.js";
import { frameToolchains } from "./toolchains/frames.js";
import { goToolchains } from "./toolchains/go.js";
import { jvmToolchains } from "./toolchains/jvm.js";
import { ownToolchains } from "./toolchains/own.js";
import { pythonToolchains } from "./toolchains/python.js";
import { rustToolchains } from "./toolchains/rust.js";
import { typescriptToolchains } from "./toolchains/typescript.js";

export const toolchains: readonly Toolchain[] = [
  ...typescriptToolchains,
  ...pythonToolchains,
  ...goToolchains,
  ...jvmToolchains,
  ...rustToolchains,
  ...frameToolchains,
  ...documentToolchains,
  ...ownToolchains,
];
