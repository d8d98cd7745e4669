import { render } from "preact";
import { refuseLongTexts } from "./long-text.ts";
import { Shell } from "./shell.tsx";

refuseLongTexts();
const place = document.getElementById("app");
if (place !== null) render(<Shell />, place);
