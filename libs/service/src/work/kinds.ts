import type { Document } from '@boxoffice/store';

export interface Retries {
  /** Milliseconds to the next attempt, by the number of those that failed; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** Whether there is a last attempt: the one after the last of the delays. Default: no. */
  readonly isEnding?: boolean;
}

/** Retries of work that the law promises: there is no last one. */
export const PROMISED: Retries = { delaysMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000] };

/** By which part a retry comes earlier or later, so that those of an outage do not come all at once. */
const JITTER = 0.2;

/** Undefined after the last attempt, where there is one. `failed` counts from 1; `random` is in [0, 1). */
export function retryAfter({ delaysMs, isEnding = false }: Retries, failed: number, random: number) {
  const delay = isEnding ? delaysMs[failed - 1] : delaysMs[Math.min(failed, delaysMs.length) - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}

/** By then the request that makes work due has done it, or its process is dead or very slow. Milliseconds. */
const SOON_MS = 3_000;

/** When work is due that the request does itself, at once: the write that ends the work clears it before. */
export function scheduleSoon(now: number): number {
  return now + SOON_MS;
}

/** A claim of work, as its handler sees it. The runner renews it until the handler has ended. */
export interface Claim {
  /** Since when the work is due. Epoch milliseconds. */
  readonly since: number;
  /** Attempts that failed since then. */
  readonly tries: number;
  /** Aborted when the service stops and does not wait any longer. */
  readonly signal: AbortSignal;
  /** The condition of a write that records an outside effect. */
  isHeld(document: Document): boolean;
}

/** `recorded`: its own write has said when the work is due next, if at all. An instant: epoch milliseconds. */
export type WorkResult = 'done' | 'recorded' | { readonly again: number };

/** `State`: what `prepare` of the service returns. */
export interface WorkKind<State> {
  /** May be called late and twice: each of its effects has a condition. Throws if it could not: it is tried again. */
  handle(state: State, document: Document, claim: Claim): Promise<WorkResult>;
  /** Default: {@link PROMISED}. */
  readonly retries?: Retries;
  /** Until a claim ends that nobody renews. With effects outside: longer than the handler takes at most. */
  readonly claimMs?: number;
  /** Of the process, for this work; none: it is not looked for. Default: 16, shared with others that do not say it. */
  slots?(state: State): number;
  /** How many of the collection's slots one institution may have for this work to be done of it. Default: 8. */
  readonly institutionSlots?: number;
  /** The document after an operator has given the work up; absent: it is promised. Pure; `now` in epoch ms. */
  dropped?(document: Document, now: number): object;
}

export type Work<State> = WorkKind<State> | WorkKind<State>['handle'];

/** All work of a service: its handlers by the collection and the name that the collection declares. */
export type WorkTable<State> = Readonly<Record<string, Readonly<Record<string, Work<State>>>>>;

const CLAIM_MS = 15_000;
const SLOTS = 16;

export interface WorkKindOf<State> extends WorkKind<State> {
  readonly retries: Retries;
  readonly claimMs: number;
}

export function completeWorkKind<State>(work: Work<State>): WorkKindOf<State> {
  return typeof work === 'function'
    ? { handle: work, retries: PROMISED, claimMs: CLAIM_MS }
    : { retries: PROMISED, claimMs: CLAIM_MS, ...work };
}

/** Kinds of a collection's work that are claimed together. */
export interface WorkGroup<State> {
  readonly kinds: Readonly<Record<string, WorkKindOf<State>>>;
  slots(state: State): number;
  readonly institutionSlots: number;
}

/** The groups of a collection, those with their own slots first: one of each such kind, and one of all others. */
export function groupWorkKinds<State>(table: Readonly<Record<string, Work<State>>>): readonly WorkGroup<State>[] {
  const kinds = Object.entries(table).map(([name, work]) => [name, completeWorkKind(work)] as const);
  const own = kinds.filter(([, { slots }]) => slots !== undefined);
  const shared = kinds.filter(([, { slots }]) => slots === undefined);
  return [...own.map((one) => groupOf([one], one[1])), ...(shared.length > 0 ? [groupOf(shared)] : [])];
}

const groupOf = <State>(
  kinds: readonly (readonly [string, WorkKindOf<State>])[],
  { slots = () => SLOTS, institutionSlots = SLOTS / 2 }: Pick<WorkKind<State>, 'slots' | 'institutionSlots'> = {},
): WorkGroup<State> => ({
  kinds: Object.fromEntries(kinds),
  slots,
  institutionSlots,
});
