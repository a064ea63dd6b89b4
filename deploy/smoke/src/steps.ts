import type { Row } from './table.ts';

/** What was tried, one after the other; the first that fails is the last. */
export interface Steps {
  readonly rows: readonly Row[];
  readonly failed: boolean;
  /** Does it, and notes what it came to. Rejects as it does. */
  step(name: string, act: () => Promise<string>): Promise<void>;
}

/** Begins with nothing; `print` hears of each step as it ends. */
export const createSteps = (print: (line: string) => void): Steps => {
  const rows: Row[] = [];
  return {
    rows,
    get failed() {
      return rows.some(({ ok }) => !ok);
    },
    async step(name, act) {
      const begun = performance.now();
      const note = (ok: boolean, text: string): void => {
        const seconds = (performance.now() - begun) / 1000;
        const [what = ''] = text.split('\n');
        rows.push({ step: name, ok, what, seconds });
        print(`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s): ${what}`);
      };
      try {
        note(true, await act());
      } catch (error) {
        note(false, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
};
