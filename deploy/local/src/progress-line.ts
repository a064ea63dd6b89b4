/** One progress line, rewritten in a terminal; a few plain lines elsewhere. */
interface ProgressLine {
  tell(what: string): void;
  /** Ends the current line, if any. */
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The interval between lines in a file or a pipe. */
const PAUSE_MS = 1_000;

/** Creates the line. */
export const createProgressLine = (output: Output, now: () => number = () => performance.now()): ProgressLine => {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let open = false;
  return {
    tell(what) {
      const line = `Demo data: ${what}`;
      if (output.isTTY) {
        output.write(`\r\x1b[2K${line.slice(0, (output.columns ?? 80) - 1)}`);
        open = true;
      } else if (now() - writtenAt >= PAUSE_MS) {
        output.write(`${line}\n`);
        writtenAt = now();
      }
    },
    end() {
      if (open) output.write('\n');
      open = false;
    },
  };
};
