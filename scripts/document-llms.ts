import { readFileSync } from "node:fs";

// docs/llms.txt lists the manual for language models (https://llmstxt.org), with the links of docs/README.md.

const head = `# mls-relay

> A relay for end-to-end encrypted group messaging (MLS, RFC 9420), with a TypeScript client, a layer for groups, and a conformance suite. The relay stores and forwards
> ciphertexts; it knows neither groups nor members.

An application with groups uses \`@mls-relay/groups\`: begin with the tutorial about groups. The contract says what each request and answer looks like.

## Contract

- [Requests](../generated/openapi.yaml): OpenAPI
- [The stream](../generated/asyncapi.yaml): AsyncAPI
`;

const link = /\[[^\]]+\]\((?<target>[^)\s]+)\)/;

/** Only links to pages of the manual: the relay serves no other file of the project. */
export function llmsText(): string {
  const readme = readFileSync(new URL("../docs/README.md", import.meta.url), "utf8");
  const [, ...sections] = readme.split(/^## /m);
  const listed = sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    // A wrapped item is one line.
    const items = lines
      .join("\n")
      .split(/^- /m)
      .slice(1)
      .map((item) => item.split("\n\n")[0]?.replace(/\s*\n\s*/g, " "));
    const pages = items.filter((item) => /^[\w/-]+\.md$/.test(link.exec(item ?? "")?.groups?.["target"] ?? ""));
    return `## ${title}\n\n${pages.map((item) => `- ${item?.trim()}\n`).join("")}`;
  });
  return [head, ...listed].join("\n");
}
