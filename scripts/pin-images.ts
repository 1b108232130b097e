import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

// Writes the digest of each image behind its tag (postgres:18@sha256:…), so that a build takes the same image until the next
// run of this command. It needs Docker and a registry of images; if one image cannot be looked up, no file changes.

const root = new URL("../", import.meta.url);
const files = ["Dockerfile", "docker-compose.yml", "test/fuzz/Dockerfile"];
const image = /^(\s*(?:FROM(?: --platform=\S+)?|image:)\s+)([\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?(?=\s|$)/gm;

const digests = new Map<string, string>();
const texts = files.map((file) => [file, readFileSync(new URL(file, root), "utf8")] as const);
for (const [, text] of texts) {
  for (const [, , name = ""] of text.matchAll(image)) if (!digests.has(name)) digests.set(name, digestOf(name));
}
for (const [file, text] of texts) {
  writeFileSync(
    new URL(file, root),
    text.replace(image, (_, start: string, name: string) => `${start}${name}@${digests.get(name)}`),
  );
}
for (const [name, digest] of digests) console.log(`${name}@${digest}`);

/** The digest of the image for all platforms. Throws if the registry does not know the image, or cannot be reached. */
function digestOf(name: string): string {
  const args = ["buildx", "imagetools", "inspect", name, "--format", "{{.Manifest.Digest}}"];
  const digest = execFileSync("docker", args, { encoding: "utf8" }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`docker names no digest of ${name}`);
  return digest;
}
