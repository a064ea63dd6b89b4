import { performance } from 'node:perf_hooks';
import { Fault } from '@boxoffice/envelope';
import { networkOf } from '@boxoffice/runtime';
import type { Exchange, Step } from '../exchange/exchange.ts';
import { createLowPriority, type NoTurn, TICK_MS } from './low-priority.ts';
import { createRefusals } from './refusals.ts';

/** What became of a request that had to wait. */
export const turnOutcomes = ['served', 'waited_long', 'queue_full', 'client_left'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** Addresses most of whose requests are refused give way to others while the event loop is busy (SECURITY.md). */
export interface GiveWay {
  readonly step: Step;
  /** Counts a completed request. */
  record(exchange: Exchange): void;
  close(): void;
}

const RETRY_AFTER_SECONDS = 5;

const refused = (): Fault =>
  new Fault(
    'too_many_requests',
    `Most requests from this address are refused, and the gateway is busy; try again in ${RETRY_AFTER_SECONDS} s.`,
    { 'Retry-After': `${RETRY_AFTER_SECONDS}` },
  );

/** The utilization of the event loop since the last call. */
const createUtilization = (): (() => number) => {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
};

export interface GiveWayOptions {
  /** The client of a token that was verified before: its requests do not wait, unless most of them are refused. */
  readonly knownClientOf: (exchange: Exchange) => string | undefined;
  /** Notes whose request is refused, so that it is counted. */
  readonly noteCaller: (exchange: Exchange) => Promise<undefined> | undefined;
  /** Called for every request that had to wait. */
  readonly onTurn: (outcome: TurnOutcome) => void;
  /** The utilization of the event loop since the last call; default: Node's. */
  readonly utilization?: () => number;
  /** The clock of `startedAt`. */
  readonly now?: () => number;
}

/** Makes the step for one gateway process. */
export const createGiveWay = (options: GiveWayOptions): GiveWay => {
  const { knownClientOf, noteCaller, onTurn, utilization = createUtilization() } = options;
  const { now = () => performance.now() } = options;
  const refusals = createRefusals();
  const queue = createLowPriority({ utilization });
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    queue.tick(now());
    if (queue.waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const wait = async (exchange: Exchange, turn: Promise<NoTurn | undefined>): Promise<undefined> => {
    const noTurn = await turn;
    onTurn(noTurn ?? 'served');
    if (noTurn === 'waited_long' || noTurn === 'queue_full') {
      await noteCaller(exchange);
      throw refused();
    }
    // What expired meanwhile has expired.
    exchange.now = Date.now();
  };

  const isOrdinary = (exchange: Exchange, network: string): boolean => {
    if (!refusals.ofAddress(network, exchange.now)) return true;
    const clientId = knownClientOf(exchange);
    return clientId !== undefined && !refusals.ofClient(clientId, exchange.now);
  };

  return {
    step(exchange) {
      const { address, startedAt, request, response } = exchange;
      const network = networkOf(address);
      if (isOrdinary(exchange, network)) {
        queue.ordinary(startedAt);
        return undefined;
      }
      const hasLeft = () => response.destroyed || request.socket.destroyed;
      const turn = queue.enter(network, startedAt, hasLeft);
      if (!turn) return undefined;
      if (timer === undefined && queue.waiting > 0) {
        timer = setInterval(tick, TICK_MS);
        timer.unref();
      }
      return wait(exchange, turn);
    },
    record: refusals.record,
    close: () => clearInterval(timer),
  };
};
