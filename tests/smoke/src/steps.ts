import type { Row } from './table.ts';

/** The steps in order, with their results. */
export interface Steps {
  readonly rows: readonly Row[];
  readonly failed: boolean;
  /** Runs the step and records its result; rejects if the step does, so that the steps that need it are not run. */
  step(name: string, act: () => Promise<string>): Promise<void>;
  /** Runs the step and records its result; the steps after it run in any case. */
  attempt(name: string, act: () => Promise<string>): Promise<void>;
}

/** Creates an empty sequence; `print` receives each step's result. */
export const createSteps = (print: (line: string) => void): Steps => {
  const rows: Row[] = [];
  const step = async (name: string, act: () => Promise<string>): Promise<void> => {
    const start = performance.now();
    const record = (ok: boolean, text: string): void => {
      const seconds = (performance.now() - start) / 1000;
      const [what = '', ...more] = text.split('\n');
      rows.push({ step: name, ok, what, seconds });
      print([`${ok ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s): ${what}`, ...more].join('\n'));
    };
    try {
      record(true, await act());
    } catch (error) {
      record(false, error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  return {
    rows,
    get failed() {
      return rows.some(({ ok }) => !ok);
    },
    step,
    attempt: (name, act) => step(name, act).catch(() => undefined),
  };
};
