import { closeBrowser, openSignedIn } from "../../support/browser.ts";
import { createApi } from "../api.ts";
import { LeadApi } from "../lead-jobs.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import { createHome, startServer, withDirectory, type Home } from "../server.ts";

const leads = 1000;
const replies = 30;
const rounds = 9;
const goal = { atMost: 600 };

/** Each page, and the first element that shows data of the workspace. */
const pages = [
  { name: "Home", path: "/", data: ".week-number" },
  { name: "Leads", path: "/app/leads", data: "tbody td a" },
  { name: "Inbox", path: "/app/inbox", data: ".conversations li" },
] as const;
type Visited = { contentMs: number; dataMs: number; requests: number; kilobytes: number };

/** What a user waits for who opens the dashboard for the first time. Chromium runs already, but has cached nothing. */
export const firstContent: BenchCase = {
  about: "opening the dashboard in a new browser profile each time",
  run: () => withDirectory(async (directory) => measure(await createHome(directory))),
};

async function measure(home: Home): Promise<Measure[]> {
  const server = await startServer(home);
  const signedIn = { url: `http://127.0.0.1:${server.port}`, firstRun: { key: home.key } };
  try {
    await new LeadApi(server, home).fill(leads);
    const api = createApi(server.port, home.key);
    for (let n = 0; n < replies; n++) {
      const profileUrl = `https://network.example/in/person-${n}`;
      await api.post("/network/contacts/events", {
        profileUrl,
        event: "replied",
        text: "Could you show me how it works?",
      });
    }
    // Starts Chromium.
    await visit(signedIn, pages[0]);
    const measures: Measure[] = [];
    for (const page of pages) {
      const visits: Visited[] = [];
      for (let round = 0; round < rounds; round++) visits.push(await visit(signedIn, page));
      const contents = visits.map(({ contentMs }) => contentMs);
      const datas = visits.map(({ dataMs }) => dataMs);
      measures.push(
        { name: `${page.name}: first content, median`, value: median(contents), unit: "ms", goal },
        { name: `${page.name}: first content, slowest`, value: Math.max(...contents), unit: "ms" },
        { name: `${page.name}: first data, median`, value: median(datas), unit: "ms", goal },
        { name: `${page.name}: first data, slowest`, value: Math.max(...datas), unit: "ms" },
        { name: `${page.name}: requests until then`, value: median(visits.map((one) => one.requests)), unit: "count" },
        {
          name: `${page.name}: kB until then`,
          value: Math.round(median(visits.map((one) => one.kilobytes))),
          unit: "count",
        },
      );
    }
    return measures;
  } finally {
    await closeBrowser();
    await server.stop();
  }
}

async function visit(
  server: { url: string; firstRun: { key: string } },
  { path, data }: { path: string; data: string },
): Promise<Visited> {
  await using opened = await openSignedIn(server, path, {
    beforeLoad: (page) =>
      page.addInitScript((selector) => {
        const observer = new MutationObserver(() => {
          if (document.querySelector(selector) === null) return;
          observer.disconnect();
          // The frame that shows it.
          requestAnimationFrame(() => performance.mark("data"));
        });
        observer.observe(document, { childList: true, subtree: true });
      }, data),
  });
  const { page, problems } = opened;
  await page.waitForFunction(() => performance.getEntriesByName("data").length > 0);
  if (problems.length > 0) throw new Error(`Expected the page to work: ${problems.join("; ")}`);
  return await page.evaluate(() => {
    const startOf = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
    const dataMs = startOf("data");
    const loaded = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(
      ({ responseEnd }) => responseEnd <= dataMs,
    );
    const bytes = loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const contentMs = startOf("first-contentful-paint");
    return { contentMs, dataMs, requests: loaded.length, kilobytes: bytes / 1000 };
  });
}
