import { describe, expect, test } from "bun:test";
import { array, assert, double, integer, property, tuple } from "fast-check";
import { stepErrors } from "../../src/features/campaigns/step-check.ts";
import { drawVariant, variantFor, withTexts, type Variant } from "../../src/features/campaigns/variants.ts";
import type { CampaignStep } from "../../src/features/campaigns/model.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const account = make.account("user", { tier: "free" });
const variant = (name: string, weight: number, message = `Hello from ${name}`): Variant => ({ name, weight, message });
const stepOf = (variants: Variant[], more: object = {}): CampaignStep => ({
  ...{ type: "action", actionType: "sendConnectionRequest", variants },
  ...more,
});
const errorsIn = (step: CampaignStep) => stepErrors([step], [account], []);

describe("a draw among variants", () => {
  test("follows the weights, and never hits a variant without one", () => {
    const variants = [variant("A", 1), variant("none", 0), variant("B", 3)];
    const names = [0, 0.2499, 0.25, 0.9999].map((draw) => drawVariant(variants, draw)?.name);
    expect(names).toEqual(["A", "A", "B", "B"]);
    expect(drawVariant([variant("A", 0)], 0.5)).toBeNull();
    expect(drawVariant([], 0.5)).toBeNull();
  });

  test("always hits a variant that has a weight, if there is one", () => {
    const weights = array(integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 10 });
    assert(
      property(tuple(weights, double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), ([all, draw]) => {
        const drawn = drawVariant(
          all.map((weight, n) => variant(String(n), weight)),
          draw,
        );
        expect((drawn?.weight ?? 0) > 0).toBe(all.some((weight) => weight > 0));
      }),
    );
  });

  test("of many leads gives each variant its share", () => {
    const step = { variants: [variant("A", 1), variant("B", 3)] };
    const drawn = Array.from({ length: 4000 }, (_, n) => variantFor(step, 2, { id: `e${n}`, variants: {} })?.name);
    const share = drawn.filter((name) => name === "A").length / drawn.length;
    expect(share).toBeGreaterThan(0.23);
    expect(share).toBeLessThan(0.27);
  });

  test("is the same for the same lead and step, and independent of other steps", () => {
    const step = { variants: [variant("A", 1), variant("B", 1)] };
    const of = (id: string, at: number) => variantFor(step, at, { id, variants: {} })?.name;
    const leads = Array.from({ length: 200 }, (_, n) => `lead-${n}`);
    for (const id of leads) expect(of(id, 0)).toBe(of(id, 0));
    const same = leads.filter((id) => of(id, 0) === of(id, 1)).length;
    expect(same).toBeGreaterThan(60);
    expect(same).toBeLessThan(140);
  });

  test("keeps what was assigned, even at weight 0, until the variant is gone", () => {
    const assigned = { id: "e", variants: { 2: "B" } };
    expect(variantFor({ variants: [variant("A", 1), variant("B", 0)] }, 2, assigned)?.name).toBe("B");
    expect(variantFor({ variants: [variant("A", 1)] }, 2, assigned)?.name).toBe("A");
    expect(variantFor({ message: "Hello" }, 2, assigned)).toBeNull();
  });

  test("is over once there is a winner, for those who were not assigned a variant", () => {
    const step = { variants: [variant("A", 0), variant("B", 1)] };
    expect(variantFor(step, 2, { id: "e", variants: {} }, { 2: "A" })?.name).toBe("A");
    expect(variantFor(step, 2, { id: "e", variants: { 2: "B" } }, { 2: "A" })?.name).toBe("B");
    expect(variantFor(step, 2, { id: "e", variants: {} }, { 2: "gone" })?.name).toBe("B");
  });
});

test("the texts of a variant replace those of the step", () => {
  const step = { actionType: "sendInMail", variants: [{ name: "A", weight: 1, message: "Text", subject: "Subject" }] };
  expect(withTexts(step, step.variants[0]!)).toEqual({
    actionType: "sendInMail",
    message: "Text",
    subject: "Subject",
  } as never);
});

describe("steps with variants", () => {
  test("are accepted with a weight of 0 beside others", () => {
    expect(errorsIn(stepOf([variant("A", 0), variant("B", 1)]))).toEqual([]);
  });

  test("need a weight above 0", () => {
    const message =
      "All weights are 0, so no lead would get a text. Set the weight of at least one variant to 1 or more.";
    expect(errorsIn(stepOf([variant("A", 0), variant("B", 0)]))).toEqual([{ path: "steps.0.variants", message }]);
  });

  test("have no text of their own", () => {
    expect(errorsIn(stepOf([variant("A", 1)], { message: "Hello" }))).toMatchObject([{ path: "steps.0.message" }]);
  });

  test("choose a winner only among two or more, by an outcome that they can have", () => {
    const two = [variant("A", 1), variant("B", 1)];
    expect(errorsIn(stepOf(two, { autoWinner: {} }))).toEqual([]);
    expect(errorsIn(stepOf([variant("A", 1), variant("B", 0)], { autoWinner: {} }))).toMatchObject([
      { path: "steps.0.autoWinner" },
    ]);
    const message = { actionType: "sendMessage", autoWinner: { outcome: "connected" } };
    expect(errorsIn(stepOf(two, message))).toMatchObject([{ path: "steps.0.autoWinner.outcome" }]);
    expect(errorsIn({ type: "action", actionType: "visitProfile", autoWinner: {} })).toMatchObject([
      { path: "steps.0.autoWinner" },
    ]);
  });

  test("have names that differ and are one line", () => {
    const errors = errorsIn(stepOf([variant("A", 1), variant("A", 1), variant(" B", 1), variant("\u0000", 1)]));
    expect(errors.map(({ path }) => path)).toEqual([1, 2, 3].map((n) => `steps.0.variants.${n}.name`));
  });

  test("are checked text by text: length, variables, and whether the action has a text", () => {
    const [long] = errorsIn(stepOf([variant("A", 1), variant("B", 1, "x".repeat(201))]));
    expect(long).toEqual({
      path: "steps.0.variants.1.message",
      message: "Expected at most 200 characters for sendConnectionRequest on a free account, got 201.",
    });
    const [unknown] = errorsIn(stepOf([variant("A", 1, "{{nickname}}")]));
    expect(unknown?.path).toBe("steps.0.variants.0.message");
    const [visit] = errorsIn(stepOf([variant("A", 1)], { actionType: "visitProfile" }));
    expect(visit).toEqual({ path: "steps.0.variants.0.message", message: "Not supported for visitProfile." });
  });

  test("report what belongs to the step at the step", () => {
    const step = stepOf([variant("A", 1)], { actionType: "sendVoiceMessage" });
    expect(errorsIn(step)).toMatchObject([{ path: "steps.0.voiceId" }]);
  });
});
