import { expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import { api } from "../../src/surfaces/dashboard/app/api.ts";
import { FormError, TextField, useForm } from "../../src/surfaces/dashboard/app/ui/form.tsx";

function LeadForm() {
  const form = useForm({ email: "", company: "" }, async (values) => void (await api.post("/leads", values)));
  return (
    <form onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="email" label="Email" hint="Where to write to." />
      <TextField form={form} name="company" label="Company" />
      <button type="submit">Save</button>
    </form>
  );
}

async function type(place: HTMLElement, label: string, text: string): Promise<HTMLInputElement> {
  const id = [...place.querySelectorAll("label")].find((one) => one.textContent === label)?.getAttribute("for") ?? "";
  const field = place.querySelector<HTMLInputElement>(`[id="${id}"]`)!;
  await change(() => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return field;
}

async function submit(place: HTMLElement): Promise<void> {
  await change(async () => {
    place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await Bun.sleep(0);
  });
}

function refusal(errors: object[], message = "email: Expected an email address.") {
  return { status: 400, body: { error: true, code: "VALIDATION_ERROR", message, details: { errors } } };
}

test("a validation error is shown at its field and associated with it", async () => {
  const place = await show(<LeadForm />);
  answerWith({ "POST /api/v2/leads": () => refusal([{ path: "email", message: "Expected an email address." }]) });
  const field = await type(place, "Email", "nobody");
  await submit(place);
  expect(field.getAttribute("aria-invalid")).toBe("true");
  const described = (field.getAttribute("aria-describedby") ?? "").split(" ");
  const texts = described.map((id) => place.querySelector(`[id="${id}"]`)?.textContent);
  expect(texts).toEqual(["Where to write to.", "Expected an email address."]);
  expect(place.querySelector(".notice")).toBeNull();
});

test("other errors are shown above the form, and input is kept", async () => {
  const place = await show(<LeadForm />);
  answerWith({ "POST /api/v2/leads": () => refusal([{ path: "", message: "Name somebody." }], "Name somebody.") });
  const field = await type(place, "Company", "<b>Acme</b>");
  await submit(place);
  expect(place.querySelector("[role=alert]")?.textContent).toBe("Name somebody.");
  expect(field.value).toBe("<b>Acme</b>");
});

test("changing a field clears its error", async () => {
  const place = await show(<LeadForm />);
  answerWith({ "POST /api/v2/leads": () => refusal([{ path: "email", message: "Expected an email address." }]) });
  await submit(place);
  const field = await type(place, "Email", "ada@example.com");
  expect(field.getAttribute("aria-invalid")).toBeNull();
  expect(place.querySelector(".field-error")).toBeNull();
});
