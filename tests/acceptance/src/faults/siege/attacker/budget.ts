/** Keeps a process within a share of one core. */
export interface Budget {
  /** Resolves when the process may act again; in the order of the calls. */
  turn(): Promise<void>;
  /** The share of one core that was used since the budget was made. */
  used(): number;
  close(): void;
}

export interface BudgetOptions {
  /** Of one core. */
  readonly share: number;
  /** The processor time of the process, in milliseconds. */
  readonly cpu?: () => number;
  readonly now?: () => number;
}

const EVERY_MS = 10;
/** The most that may act at once between two looks at the clock. */
const AT_ONCE = 16;

const cpuOfProcess = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Makes a budget whose time begins now. */
export const createBudget = ({ share, cpu = cpuOfProcess, now = () => performance.now() }: BudgetOptions): Budget => {
  const waiting: (() => void)[] = [];
  const [cpuBefore, from] = [cpu(), now()];
  const used = (): number => (cpu() - cpuBefore) / Math.max(1, now() - from);
  const timer = setInterval(() => {
    if (used() < share) for (const go of waiting.splice(0, AT_ONCE)) go();
  }, EVERY_MS);
  return {
    turn: () => new Promise((resolve) => waiting.push(resolve)),
    used,
    close: () => clearInterval(timer),
  };
};
