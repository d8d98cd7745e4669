// Runs before the first paint, so that the dark theme does not flash light.
const chosen = localStorage.getItem("outreachd.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
