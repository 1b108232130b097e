import AsyncApiComponent from "@asyncapi/react-component/lib/esm/without-parser.js";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import "@asyncapi/react-component/styles/default.min.css";

const answer = await fetch("/docs/asyncapi-prepared.json");
const schema = await answer.json();
const config = { show: { errors: false, sidebar: true }, sidebar: { showOperations: "byDefault" } };
createRoot(document.getElementById("document")).render(createElement(AsyncApiComponent, { schema, config }));
