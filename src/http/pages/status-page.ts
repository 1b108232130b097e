import { displayName, htmlPage } from "./html-page.js";
import type { ServingRelay } from "./served-document.js";

/**
 * The public page at `/`: the relay's name, whether it works, and links to more. It shows no figures. An invite's link leads on
 * to the application, if the relay has one.
 */
export function statusPage({ application, ...relay }: Pick<ServingRelay, "domain" | "application">): string {
  const name = displayName(relay);
  const page = application === null ? "" : attribute(application);
  const main = `      <h1>${name}</h1>
      <p id="status" role="status" data-up="unknown">This relay is running.</p>
      <section id="invite" data-application="${page}" hidden>
        <h2>You are invited</h2>
        <p>Open your messaging app, choose this server, and enter this code when it asks for an invite:</p>
        <p><code></code></p>
        <button type="button">Copy the code</button>
      </section>
      <p>This server relays messages between the devices of end-to-end encrypted groups (MLS, RFC 9420). It stores a message
        until its recipient has fetched it, and cannot read what is in it.</p>
      <ul>${page && `\n        <li><a href="${page}">Messenger</a></li>`}
        <li><a href="/docs">Documentation of the interface</a></li>
        <li>The contract: <a href="/openapi.json">OpenAPI</a> for requests, <a href="/asyncapi.json">AsyncAPI</a> for the stream</li>
        <li><a href="/console/">Console for administrators</a></li>
      </ul>`;
  const head = ['<script type="module" src="/status.js"></script>'];
  return htmlPage({ title: name, head, main });
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Without this script the page says that the relay is running, which is true if the page was served. */
export const statusScript = `const status = document.getElementById("status");
async function check() {
  const answer = await fetch("/readyz", { cache: "no-store" }).catch(() => undefined);
  const isUp = answer?.ok === true;
  status.dataset.up = String(isUp);
  status.textContent = isUp ? "This relay is up." : "This relay cannot take requests at the moment.";
}
/** An invite's link has its code in the fragment, which is not sent to the server. */
function showInvite() {
  const [, code] = /^#invite=([A-Za-z0-9_.-]+)$/.exec(location.hash) ?? [];
  const section = document.getElementById("invite");
  if (code !== undefined && section.dataset.application !== "") {
    const page = new URL(section.dataset.application);
    page.hash = location.hash;
    location.replace(page);
    return;
  }
  section.hidden = code === undefined;
  section.querySelector("code").textContent = code ?? "";
  section.querySelector("button").onclick = () => navigator.clipboard.writeText(code);
}
showInvite();
addEventListener("hashchange", showInvite);
check();
setInterval(() => document.hidden || check(), 30000);
`;

/** Two devices, and what passes between them. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b57a4"/>
<g fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round">
<path d="M6 12h17m-5-5 5 5-5 5M26 21H9m5-5-5 5 5 5"/></g></svg>
`;

export const statusStyle = `:root { color-scheme: light dark; }
body { margin: 0; font-family: system-ui, sans-serif; line-height: 1.6; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem; }
h1 { margin: 0; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
a { color: light-dark(#0b57a4, #8cc2ff); }
#status { font-weight: 600; }
#status::before { content: ""; display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.5em; border-radius: 50%; background: #76808c; }
#status[data-up="true"]::before { background: #1f8a4c; }
#status[data-up="false"]::before { background: #c62f2f; }
`;
