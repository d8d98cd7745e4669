// Runs before anything is painted, so that nobody who chose dark sees a flash of light.
const chosen = localStorage.getItem("outreachd.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
