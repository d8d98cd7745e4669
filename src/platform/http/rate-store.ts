/** Requests of one subject within one window; `window` is the window's name. */
export type RateWindow = { subject: string; window: string; startedAt: number; used: number };

export type RateStore = {
  load(): Promise<RateWindow[]>;
  /** Replaces these windows, and deletes windows that started before the `expiredBefore` of their name. */
  save(windows: RateWindow[], expiredBefore: Record<string, number>): Promise<void>;
};
