/** Requests of one subject within one window; `window` is the window's name. */
export type RateWindow = { subject: string; window: string; startedAt: number; used: number };

export type RateStore = {
  load(): Promise<RateWindow[]>;
  /** Writes the windows as given and forgets those that began before `expiredBefore` for their name. */
  save(windows: RateWindow[], expiredBefore: Record<string, number>): Promise<void>;
};
