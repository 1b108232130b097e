import type { ServingRelay } from "./served-document.js";

/** The relay's name as pages show it. */
export function displayName({ domain }: Pick<ServingRelay, "domain">): string {
  return domain.replace(/[^\w.:[\]-]/g, "");
}

interface Page {
  title: string;
  /** Further elements of the head. */
  head?: readonly string[];
  main: string;
}

/** A page of the relay. `main` comes with the indentation it has in the page. */
export function htmlPage({ title, head = [], main }: Page): string {
  const elements = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    '<link rel="icon" href="/favicon.svg">',
    '<link rel="stylesheet" href="/status.css">',
    ...head,
  ];
  return `<!doctype html>
<html lang="en">
  <head>
    ${elements.join("\n    ")}
  </head>
  <body>
    <main>
${main}
    </main>
  </body>
</html>
`;
}
