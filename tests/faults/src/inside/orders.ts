import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';
import type { FactMoment } from '@boxoffice/service';
import { type Edge, type FactPoint, type RequestPoint, requireCrashPoint } from '../deployment/crash-points.ts';

export interface Modes {
  /** Whether its bus publishes each fact twice and out of order. */
  readonly doubling: boolean;
  readonly seed?: string;
  /** How far the wall clock of the process is ahead, in milliseconds; default 0. */
  readonly clockMs?: number;
}

export const faithful: Modes = { doubling: false };

/** A bug that is planted in a process: a change of the text of one source file. */
export interface Mutation {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

export type Order =
  | { readonly kind: 'modes'; readonly modes: Modes }
  /** The process dies when the crash point of that name is reached for the n-th time from now. */
  | { readonly kind: 'arm'; readonly point: string; readonly nth: number }
  | { readonly kind: 'disarm' }
  | { readonly kind: 'count' }
  | { readonly kind: 'planted' };

export interface Report {
  readonly kind: 'done';
  /** For `count`: the facts that have arrived since the last report, as `<queue> <id>`. */
  readonly arrived?: readonly string[];
  /** For `planted`: the files of the mutations that took effect. */
  readonly planted?: readonly string[];
}

/** The current modes; the doubles of the bus and of the clock read them at every call. */
let current: Modes = faithful;

export function getModes(): Modes {
  return current;
}

export function behave(next: Modes): void {
  current = next;
}

/** The facts that have arrived since the last report, as `<queue> <id>`. */
export const arrived: string[] = [];

const Faithful = Date;

/**
 * Replaces the wall clock of this process by one that differs by the modes' `clockMs`; monotonic time and timers stay.
 * Dates of both clocks have the same prototype.
 */
export function replaceClock(): void {
  globalThis.Date = new Proxy(Faithful, {
    get: (target, name, receiver) => (name === 'now' ? computeShiftedNow : Reflect.get(target, name, receiver)),
    apply: () => new Faithful(computeShiftedNow()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [computeShiftedNow()] : args, newTarget),
  });
}

const computeShiftedNow = (): number => Faithful.now() + (current.clockMs ?? 0);

const channels: Readonly<Record<Edge, string>> = {
  before: 'http.client.request.start',
  after: 'http.client.response.finish',
  received: 'http.server.request.start',
  answered: 'http.server.response.finish',
};

interface Seen {
  readonly request: { readonly method?: string; readonly path?: string; readonly url?: string };
}

export function disarmCrashPoint(): void {
  disarm();
  disarm = () => undefined;
}

let disarm = (): void => undefined;

/** Kills this process with SIGKILL when it reaches the point for the n-th time; replaces an earlier point. */
export function armCrashPoint(name: string, nth: number): void {
  disarmCrashPoint();
  const { moment } = requireCrashPoint(name);
  let left = nth;
  const look = (seen: unknown): void => {
    if (!('edge' in moment ? isRequest(moment, seen as Seen) : isFact(moment, seen as FactMoment))) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const channel = 'edge' in moment ? channels[moment.edge] : 'boxoffice:fact';
  subscribe(channel, look);
  disarm = () => void unsubscribe(channel, look);
}

const isRequest = ({ method, path }: RequestPoint, { request }: Seen): boolean => {
  const [target = ''] = (request.path ?? request.url ?? '').split('?', 1);
  return request.method === method && path.test(target);
};

const isFact = (wanted: FactPoint, { queue, type, phase }: FactMoment): boolean =>
  queue === wanted.queue && type === wanted.type && phase === wanted.phase;

const ROOT = new URL('../../../../', import.meta.url);

/** The source after the mutation. @throws {Error} unless `from` occurs exactly once in it */
export function mutateSource(source: string, { file, from, to }: Mutation): string {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`${file} must contain the mutated text once, not ${parts.length - 1} times:\n${from}`);
}

const planted = new Set<string>();

export function listPlantedFiles(): string[] {
  return [...planted];
}

/** Changes the sources that this thread loads from now on; one that does not fit fails the import of its file. */
export function plant(mutations: readonly Mutation[]): void {
  if (mutations.length === 0) return;
  const byUrl = Map.groupBy(mutations, ({ file }) => new URL(file, ROOT).href);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const own = byUrl.get(url);
      if (own === undefined) return loaded;
      const source = own.reduce(mutateSource, Buffer.from(loaded.source as Uint8Array).toString());
      for (const { file } of own) planted.add(file);
      return { ...loaded, source };
    },
  });
}
