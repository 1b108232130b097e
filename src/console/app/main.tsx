import { render } from "preact";
import "../style.css";
import "uplot/dist/uPlot.min.css";
import { applyTheme, storedTheme } from "../theme.js";
import { App } from "./app.js";

applyTheme(storedTheme());
const root = document.getElementById("console");
if (root !== null) render(<App />, root);
