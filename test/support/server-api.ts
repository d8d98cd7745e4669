type Reachable = { url: string; firstRun: { key: string } | null };

/** Asks a running server with the key of its first start; throws for anything but success. Answers the `data`. */
export async function callApi<T>(server: Reachable, method: string, path: string, body?: unknown): Promise<T> {
  const isText = typeof body === "string";
  const response = await fetch(`${server.url}/api/v2${path}`, {
    method,
    headers: {
      "x-api-key": server.firstRun?.key ?? "",
      ...(body !== undefined && { "content-type": isText ? "text/csv" : "application/json" }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}

const wholeWeek = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [
    day,
    [{ from: "00:00", to: "24:00" }],
  ]),
);

/** Lets the first account act at any hour and without breaks: what is scheduled is due soon. */
export async function hurryAccount(server: Reachable): Promise<void> {
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  await callApi(server, "PATCH", `/network/accounts/${accounts[0]?.id}`, {
    ...{ workingHours: wholeWeek, warmUp: null, sessions: null, jitterPercent: 0 },
    spacing: { medianSeconds: 0, minSeconds: 0 },
  });
}
