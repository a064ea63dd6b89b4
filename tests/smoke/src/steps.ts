/** Aligns rows in columns; the first row is the header. */
export const inColumns = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
};

/** Runs the step, reports its result, and rejects if the step does. */
export const step = async (name: string, act: () => Promise<string>): Promise<void> => {
  const started = performance.now();
  const report = (mark: string, text: string): void => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${mark} ${name} (${seconds} s): ${text}\n`);
  };
  try {
    report('✓', await act());
  } catch (error) {
    report('✗', error instanceof Error ? error.message : String(error));
    throw error;
  }
};
