import { subscribe } from 'node:diagnostics_channel';
import type { FactMoment } from '@boxoffice/service';

const handled: string[] = [];

/** Records the facts that the reactions of this process handle from now on. */
export const recordDeliveries = (): void =>
  subscribe('boxoffice:fact', (moment) => {
    const { phase, queue, id } = moment as FactMoment;
    if (phase === 'handled') handled.push(`${queue} ${id}`);
  });

/** The facts since the last call. */
export const takeDeliveries = (): string[] => handled.splice(0);
