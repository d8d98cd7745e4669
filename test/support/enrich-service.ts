import type { FakeClock } from "./clock.ts";
import { eventually, startService } from "./service.ts";
import { startVendor, vendorKey, vendors } from "./vendors.ts";

export const vendorOf = (name: string) => vendors.find((vendor) => vendor.name === name)!;
export const ada = {
  firstName: "Ada",
  lastName: "Lovelace",
  company: "Analytical Engines",
  domain: "analytical.example",
};

/** A service that asks these vendors, played on this machine, after the local provider. */
export async function startWith(
  names: string[],
  settings: Record<string, string> = {},
  overrides: { clock?: FakeClock } = {},
) {
  const servers = names.map((name) => startVendor(vendorOf(name)));
  const service = await startService({
    ...overrides,
    settings: {
      ENRICHMENT_PROVIDERS: ["local", ...names].join(),
      ENRICHMENT_URLS: names.map((name, index) => `${name}=${servers[index]?.url}`).join(),
      ...Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_KEY`, vendorKey])),
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ENRICHMENTS_PER_HOUR: "0",
      ...settings,
    },
  });
  return {
    service,
    servers,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}

/** Lets a vendor answer only when it is told to. */
export function withheld(server: ReturnType<typeof startVendor>, name: string) {
  const answers: (() => void)[] = [];
  server.answerWith(
    (request) =>
      new Promise((resolve) => answers.push(() => resolve(vendorOf(name).answer(request, new URL(request.url))))),
  );
  return {
    answers,
    asked: (count: number) => eventually("it to be asked", async () => answers.length === count || null),
  };
}
