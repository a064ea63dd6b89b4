import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { faithful, type Modes, type Mutation, type Order, type Report } from '../inside/orders.ts';

/** The start of a process until it was ready. */
export interface Start {
  readonly name: string;
  readonly seconds: number;
  /** Seconds since its first health report: before that, it only waited for the CPU. */
  readonly secondsAlive: number;
  /** Its health reports on the way, with their times. */
  readonly story: readonly string[];
}

export type ProductProcess = ReturnType<typeof createProductProcess>;

interface ProcessOptions {
  readonly name: string;
  readonly program: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Each answers 200 when the process is ready. */
  readonly healthUrls: readonly string[];
  /** The bugs that are planted at every start; default: none. */
  readonly mutations?: readonly Mutation[];
}

const PRELOAD = new URL('../inside/preload.ts', import.meta.url);
const OUTPUT_CHARACTERS = 20_000;
/** A process that is not ready after this time never will be. */
const START_SECONDS = 120;

const READY = { status: 200, text: 'ready' };

/** Describes a process without starting it. */
export function createProductProcess({ name, program, settings, healthUrls, mutations = [] }: ProcessOptions) {
  let child: ReturnType<typeof spawn> | undefined;
  let exited: Promise<void> = Promise.resolve();
  let modes = faithful;
  let printed = '';

  const launch = () => {
    const { MONGODB_URL: _mongodb, AMQP_URL: _amqp, NODE_OPTIONS: _options, ...inherited } = process.env;
    const args = [
      '--conditions=source',
      '--disable-warning=ExperimentalWarning',
      '--import',
      preloadWith(modes, mutations),
    ];
    const fresh = spawn(process.execPath, [...args, ...program], {
      env: { ...inherited, NODE_ENV: 'production', LOG_LEVEL: 'warn', ...settings },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [fresh.stdout, fresh.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed = (printed + text).slice(-OUTPUT_CHARACTERS);
      });
    child = fresh;
    exited = once(fresh, 'exit').then(() => {
      if (child === fresh) child = undefined;
    });
  };

  const ask = async (order: Order): Promise<Report | undefined> => {
    const to = child;
    if (!to?.connected) return undefined;
    const answer = once(to, 'message').then(([report]) => report as Report);
    to.send(order, () => undefined);
    return Promise.race([answer, exited.then(() => undefined)]);
  };
  let asked: Promise<Report | undefined> = Promise.resolve(undefined);
  /** Sends orders to the running process one at a time; a process that dies meanwhile has no report. */
  const tell = (order: Order): Promise<Report | undefined> => {
    asked = asked.then(() => ask(order));
    return asked;
  };

  return {
    name,
    /**
     * Starts or restarts it; resolves when it is ready, with undefined if it already was. @throws {Error} with its
     * output, when it ends instead
     */
    async start(): Promise<Start | undefined> {
      if (child) return undefined;
      launch();
      const startedAt = performance.now();
      const seconds = () => (performance.now() - startedAt) / 1000;
      const story: string[] = [];
      let alive: number | undefined;
      while (child !== undefined && seconds() < START_SECONDS) {
        const reports = await Promise.all(healthUrls.map(healthAt));
        const health = reports.find(({ status }) => status !== 200) ?? READY;
        if (reports.some(({ status }) => status > 0)) alive ??= seconds();
        if (health.status === 200) {
          return { name, seconds: seconds(), secondsAlive: seconds() - (alive ?? seconds()), story };
        }
        if (!story.at(-1)?.endsWith(health.text)) story.push(`after ${seconds().toFixed(1)} s ${health.text}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${name} ${child === undefined ? 'ended' : 'is not ready'} instead of being ready:\n${printed}`);
    },
    ended: () => exited,
    async stop(signal: NodeJS.Signals): Promise<void> {
      child?.kill(signal);
      await exited;
    },
    /** Sends a signal that does not end it; nothing if it does not run. */
    signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
      child?.kill(signal);
    },
    arm: async (point: string, nth: number) => void (await tell({ kind: 'arm', point, nth })),
    disarm: async () => void (await tell({ kind: 'disarm' })),
    async behave(next: Modes): Promise<void> {
      modes = next;
      await tell({ kind: 'modes', modes });
    },
    /** The facts that have arrived at the running process since the last call, as `<queue> <id>`. */
    arrived: async () => (await tell({ kind: 'count' }))?.arrived ?? [],
    planted: async () => (await tell({ kind: 'planted' }))?.planted ?? [],
    output: () => printed,
  };
}

const preloadWith = (modes: Modes, mutations: readonly Mutation[]): string => {
  const url = new URL(PRELOAD);
  url.searchParams.set('modes', JSON.stringify(modes));
  if (mutations.length > 0) url.searchParams.set('mutations', JSON.stringify(mutations));
  return url.href;
};

const healthAt = async (url: string): Promise<{ readonly status: number; readonly text: string }> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: 'no answer' };
  }
};
