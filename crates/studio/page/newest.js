// Questions to the server of which only the newest counts.

import { job } from "./api.js";

/** Asks one question at a time: a new one ends the one before, whose answer nobody hears any more. */
export function newestQuestion() {
  let running = null;
  return {
    busy: () => running !== null,
    stop: () => running?.abort(),
    /** The answer, or nothing where the question was ended; throws what the server says against it. */
    async ask(path, body) {
      running?.abort();
      const mine = new AbortController();
      running = mine;
      try {
        const found = await job(path, body, mine.signal, () => {});
        return running === mine ? found : null;
      } catch (error) {
        if (mine.signal.aborted) return null;
        throw error;
      } finally {
        if (running === mine) running = null;
      }
    },
  };
}
