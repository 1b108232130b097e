import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

const answer = await fetch("/openapi.json");
const contract = await answer.json();
// The page talks to the relay that serves it, so that address takes the place of the contract's servers.
const spec = { ...contract, servers: [{ url: location.origin }] };
SwaggerUI({ spec, dom_id: "#document", deepLinking: true, docExpansion: "list", validatorUrl: null });
