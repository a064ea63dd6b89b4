import type { Row } from './table.ts';

/** The steps in order; the first failure ends the sequence. */
export interface Steps {
  readonly rows: readonly Row[];
  readonly failed: boolean;
  /** Runs the step and records its result; rejects if the step does. */
  step(name: string, act: () => Promise<string>): Promise<void>;
}

/** Creates an empty sequence; `print` receives each step's result. */
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
