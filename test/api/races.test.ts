import { afterAll, expect, test } from "bun:test";
import type { KeyView, NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { UserView } from "../../src/platform/auth/user-model.ts";
import type { Answer, Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

/** Which of two requests is served first is up to the machine; over so many rounds both orders come up. */
const rounds = 25;

async function repeated(round: () => Promise<boolean>): Promise<boolean[]> {
  const results = [];
  for (let done = 0; done < rounds; done++) results.push(await round());
  return results;
}

const always = Array.from({ length: rounds }, () => true);

async function makeKey(maker: Client): Promise<NewKeyView> {
  return succeeded(await maker.post<NewKeyView>("/api/v2/keys", { name: "racer", permissions: ["leads:read"] })).data;
}

async function works(secret: string): Promise<boolean> {
  return (await service.client(secret).get("/api/v2/health")).status === 200;
}

test("a change of a key's name at the same time does not bring its old secret back", async () => {
  const user = await service.user();
  const results = await repeated(async () => {
    const made = await makeKey(user);
    const [regenerated] = await Promise.all([
      user.post(`/api/v2/keys/${made.id}/regenerate`),
      user.put(`/api/v2/keys/${made.id}`, { name: "renamed" }),
    ]);
    return !(await works(made.key)) && (await works((regenerated.body as NewKeyView).key));
  });
  expect(results).toEqual(always);
});

test("a change of a key's name at the same time does not turn it on again", async () => {
  const user = await service.user();
  const results = await repeated(async () => {
    const made = await makeKey(user);
    await Promise.all([
      user.put(`/api/v2/keys/${made.id}`, { isActive: false }),
      user.put(`/api/v2/keys/${made.id}`, { name: "renamed" }),
    ]);
    return !(await works(made.key));
  });
  expect(results).toEqual(always);
});

test("a change of a key's name at the same time does not give it back a permission that it loses", async () => {
  const user = await service.user();
  const results = await repeated(async () => {
    const { id } = succeeded(
      await user.post<NewKeyView>("/api/v2/keys", { name: "racer", permissions: ["leads:read", "leads:delete"] }),
    ).data;
    await Promise.all([
      user.put(`/api/v2/keys/${id}`, { permissions: ["leads:read"] }),
      user.put(`/api/v2/keys/${id}`, { name: "renamed" }),
    ]);
    const { data } = await user.get<{ keys: KeyView[] }>("/api/v2/keys");
    return data.keys.find((key) => key.id === id)?.permissions.length === 1;
  });
  expect(results).toEqual(always);
});

test("of the secrets that several regenerations at the same time show, one works", async () => {
  const user = await service.user();
  const { id, key } = await makeKey(user);
  const answers = await Promise.all(Array.from({ length: 6 }, () => user.post(`/api/v2/keys/${id}/regenerate`)));
  const working = await Promise.all(answers.map(({ body }) => works((body as NewKeyView).key)));
  expect(working.filter(Boolean)).toHaveLength(1);
  expect(await works(key)).toBe(false);
});

test("a key that is used while it is deleted is refused afterwards", async () => {
  const user = await service.user();
  const results = await repeated(async () => {
    const { id, key } = await makeKey(user);
    const uses = Array.from({ length: 3 }, () => works(key));
    await Promise.all([...uses, user.delete(`/api/v2/keys/${id}`)]);
    return !(await works(key));
  });
  expect(results).toEqual(always);
});

test("changes of a user's name and time zone at the same time are both kept", async () => {
  const results = await repeated(async () => {
    const user = await service.user();
    const changes: Promise<Answer>[] = [
      user.patch("/api/v2/users/me", { name: "Ada" }),
      user.patch("/api/v2/users/me", { timeZone: "Europe/London" }),
    ];
    await Promise.all(changes);
    const { name, timeZone } = (await user.get<UserView>("/api/v2/users/me")).data;
    return name === "Ada" && timeZone === "Europe/London";
  });
  expect(results).toEqual(always);
});

test("changes of an account's hours and connector at the same time are both kept", async () => {
  const results = await repeated(async () => {
    const user = await service.user();
    const accountOf = async () =>
      (await user.get<{ accounts: AccountView[] }>("/api/v2/network/accounts")).data.accounts[0];
    const path = `/api/v2/network/accounts/${(await accountOf())?.id}`;
    await Promise.all([
      user.patch(path, { workingHours: { monday: [] } }),
      user.patch(path, { connector: "simulated" }),
    ]);
    const account = await accountOf();
    return account?.workingHours.monday.length === 0 && account.connector === "simulated";
  });
  expect(results).toEqual(always);
});
