import { render } from "preact";
import { refuseLongTexts } from "./long-text.ts";
import { preloadOnIntent, preloadPage } from "./preload.ts";
import { here } from "./router.tsx";
import { rememberScroll } from "./scroll.ts";
import { Shell } from "./shell.tsx";

// In parallel with the request for the session, which decides whether the page is shown.
preloadPage(here.value.path);
preloadOnIntent();
rememberScroll();
refuseLongTexts();
const place = document.getElementById("app");
if (place !== null) render(<Shell />, place);
