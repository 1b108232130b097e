import { defineConfig, type Plugin } from "vite";
import document from "../../generated/openapi.json" with { type: "json" };

const schemaModule = "virtual:config-schema";

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
}

/** Gives the page the contract's schema of the configuration, so its form needs no separate list of settings. */
function configSchema(): Plugin {
  const resolvedId = `\0${schemaModule}`;
  return {
    name: "config-schema",
    resolveId: (id) => (id === schemaModule ? resolvedId : undefined),
    load: (id) => (id === resolvedId ? `export const configSchema = ${JSON.stringify(schemaOfConfig())};` : undefined),
  };
}

function schemaOfConfig(): Schema {
  const schemas = document.components.schemas as Record<string, Schema>;
  const resolved = (schema: Schema): Schema => {
    const { $ref, ...own } = schema;
    const target = $ref === undefined ? {} : resolved(schemas[$ref.split("/").at(-1) ?? ""] ?? {});
    const merged = { ...target, ...own };
    if (merged.properties === undefined) return merged;
    const members = Object.entries(merged.properties).map(([name, member]) => [name, resolved(member)]);
    return { ...merged, properties: Object.fromEntries(members) };
  };
  return resolved(schemas["ServerConfig"] ?? {});
}

export default defineConfig({
  root: import.meta.dirname,
  // Addresses in the page are relative, so a proxy may serve the relay below a path.
  base: "./",
  plugins: [configSchema()],
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // A file that is inlined as a data: address would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
