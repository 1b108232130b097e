/** What a page is made of. Scripts and styles are files of their own, so that the page needs no inline code. */
interface Page {
  title: string;
  styles: string[];
  scripts: string[];
  body: string;
}

function page({ title, styles, scripts, body }: Page): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
${styles.map((href) => `    <link rel="stylesheet" href="${href}">`).join("\n")}
  </head>
  <body>
    ${body}
${scripts.map((src) => `    <script src="${src}"></script>`).join("\n")}
  </body>
</html>
`;
}

export const indexPage = page({
  title: "mls-relay: contracts",
  styles: ["/docs/page.css"],
  scripts: [],
  body: `<main>
      <h1>mls-relay</h1>
      <p>A relay for end-to-end encrypted group messaging (MLS, RFC 9420). Two documents say all that it does.</p>
      <h2>Requests and answers</h2>
      <p><a href="/docs/openapi">Read the OpenAPI document</a>, or take it as
        <a href="/openapi.json">JSON</a>, <a href="/openapi.yaml">YAML</a>, or
        <a href="/openapi-3.0.json">JSON in OpenAPI 3.0</a> for generators that need it.</p>
      <h2>The stream</h2>
      <p><a href="/docs/asyncapi">Read the AsyncAPI document</a>, or take it as
        <a href="/asyncapi.json">JSON</a> or <a href="/asyncapi.yaml">YAML</a>.</p>
    </main>`,
});

export const openapiPage = page({
  title: "mls-relay: OpenAPI",
  styles: ["/docs/assets/swagger-ui.css", "/docs/page.css"],
  scripts: ["/docs/assets/swagger-ui-bundle.js", "/docs/openapi.js"],
  body: `<nav><a href="/docs">Contracts</a> <a href="/docs/asyncapi">The stream</a></nav><div id="document"></div>`,
});

export const asyncapiPage = page({
  title: "mls-relay: AsyncAPI",
  styles: ["/docs/assets/asyncapi.css", "/docs/page.css"],
  scripts: ["/docs/assets/asyncapi.js", "/docs/asyncapi.js"],
  body: `<nav><a href="/docs">Contracts</a> <a href="/docs/openapi">Requests and answers</a></nav><div id="document"></div>`,
});

/** The page talks to the relay that serves it, so that address takes the place of the contract's servers. */
export const openapiScript = `fetch("/openapi.json")
  .then((answer) => answer.json())
  .then((contract) => {
    const spec = { ...contract, servers: [{ url: location.origin }] };
    SwaggerUIBundle({ spec, dom_id: "#document", deepLinking: true, docExpansion: "list", validatorUrl: null });
  });
`;

export const asyncapiScript = `fetch("/docs/asyncapi-prepared.json")
  .then((answer) => answer.json())
  .then((schema) => {
    const config = { show: { errors: false, sidebar: true }, sidebar: { showOperations: "byDefault" } };
    AsyncApiStandalone.render({ schema, config }, document.getElementById("document"));
  });
`;

export const pageStyle = `body { margin: 0; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
nav { padding: 0.75rem 1.25rem; border-bottom: 1px solid #ddd; }
nav a { margin-right: 1.5rem; }
`;
