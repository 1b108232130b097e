import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

const answer = await fetch("/openapi.json");
const contract = await answer.json();
// The page talks to the relay that serves it, so that address takes the place of the contract's servers.
const spec = { ...contract, servers: [{ url: location.origin }] };

/** Everything that an operation may be looked for by. */
function textOf(method, path, { operationId = "", summary = "", description = "", tags = [] }) {
  return [method, path, operationId, summary, description, ...tags].join(" ").toLowerCase();
}

function matches(text, phrase) {
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Swagger UI's own filter looks at the names of tags only. */
const searchOfOperations = {
  fn: {
    opsFilter: (tags, phrase) =>
      tags
        .map((tag) =>
          tag.update("operations", (operations) =>
            operations.filter((found) => {
              const operation = found.get("operation").toJS();
              return matches(textOf(found.get("method"), found.get("path"), operation), phrase);
            }),
          ),
        )
        .filter((tag) => tag.get("operations").size > 0),
  },
};

const ui = SwaggerUI({
  spec,
  dom_id: "#document",
  deepLinking: true,
  docExpansion: "list",
  validatorUrl: null,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  plugins: [searchOfOperations],
});

const texts = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => textOf(method, path, operation)),
);
const input = document.getElementById("search");
const count = document.getElementById("found");

function search() {
  const phrase = input.value.trim();
  ui.getSystem().layoutActions.updateFilter(phrase === "" ? false : phrase);
  const found = texts.filter((text) => matches(text, phrase)).length;
  count.textContent = phrase === "" ? "" : `${found} of ${texts.length} operations`;
}

input.addEventListener("input", () => {
  search();
  // The operations follow a long introduction.
  if (input.value.trim() !== "") document.querySelector(".opblock-tag-section")?.scrollIntoView({ block: "start" });
});
// A browser that goes back fills the field in again.
search();
