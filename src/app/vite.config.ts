import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Addresses in the page are relative, so it can be served below any path.
  base: "./",
  build: {
    outDir: "../../dist/app",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // A file inlined as a data: URL would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
