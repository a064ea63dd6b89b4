import { performance } from 'node:perf_hooks';
import { Fault } from '@boxoffice/envelope';
import { networkOf } from '@boxoffice/runtime';
import type { Exchange, Step } from '../exchange/exchange.ts';
import { createLowPriority, type NoTurn, TICK_MS } from './low-priority.ts';
import { createRefusals } from './refusals.ts';

/** What became of a request that had to wait. */
export const turnOutcomes = ['served', 'waited_long', 'queue_full'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

/** Addresses most of whose requests are refused give way to others while the event loop is busy. */
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

/** Makes the step for one gateway process; `onTurn` is called for every request that had to wait. */
export const createGiveWay = (onTurn: (outcome: TurnOutcome) => void): GiveWay => {
  const refusals = createRefusals();
  const utilization = createUtilization();
  const queue = createLowPriority({ utilization });
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    queue.tick(performance.now());
    if (queue.waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const settle = (noTurn: NoTurn | undefined): undefined => {
    onTurn(noTurn ?? 'served');
    if (noTurn !== undefined) throw refused();
  };

  return {
    step({ address, now, startedAt, response }) {
      const network = networkOf(address);
      if (!refusals.areMost(network, now)) {
        queue.ordinary(startedAt);
        return undefined;
      }
      const turn = queue.enter(network, startedAt, () => response.destroyed);
      if (timer === undefined && queue.waiting > 0) {
        utilization();
        timer = setInterval(tick, TICK_MS);
        timer.unref();
      }
      return turn?.then(settle);
    },
    record: (exchange) => refusals.record(networkOf(exchange.address), exchange),
    close: () => clearInterval(timer),
  };
};
