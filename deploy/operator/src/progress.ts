/** A progress line for a terminal, rewritten in place; elsewhere, a new line at intervals. */
export interface Progress {
  tell(what: string): void;
  /** Removes the line. */
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The least interval of updates on a terminal, and of lines in a file or a pipe. */
const TERMINAL_MS = 100;
const FILE_MS = 10_000;

/** Creates an empty progress line on standard error: standard output is for results. */
export const createProgress = (name: string, output: Output = process.stderr): Progress => {
  const startedAt = performance.now();
  let reportedAt = output.isTTY ? Number.NEGATIVE_INFINITY : startedAt;
  let open = false;
  return {
    tell(what) {
      const now = performance.now();
      if (now - reportedAt < (output.isTTY ? TERMINAL_MS : FILE_MS)) return;
      reportedAt = now;
      const line = `${name}: ${what}, ${((now - startedAt) / 1_000).toFixed(0)} s`;
      if (output.isTTY) output.write(`\r\x1b[2K${line.slice(0, (output.columns ?? 80) - 1)}`);
      else output.write(`${line}\n`);
      open = output.isTTY === true;
    },
    end() {
      if (open) output.write('\r\x1b[2K');
      open = false;
    },
  };
};
