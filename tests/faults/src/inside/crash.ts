import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FactMoment } from '@boxoffice/service';
import { type CrashPointName, crashPoints, type FactPoint, type RequestMoment } from '../deployment/crash-points.ts';

interface Seen {
  readonly request: { readonly method?: string; readonly path?: string; readonly url?: string };
}

const isRequest = ({ on, method, path }: RequestMoment, moment: unknown): boolean => {
  const { request } = moment as Seen;
  const [target = ''] = (on.startsWith('http.server') ? request.url : request.path)?.split('?', 1) ?? [];
  return request.method === method && path.test(target);
};

const isFact = (wanted: FactPoint, moment: unknown): boolean => {
  const { queue, type, phase } = moment as FactMoment;
  return queue === wanted.queue && type === wanted.type && phase === wanted.phase;
};

let disarm = (): void => undefined;

/** Disarms the crash point, if there is one. */
export const disarmed = (): void => {
  disarm();
  disarm = () => undefined;
};

/** Kills this process with SIGKILL when it reaches the point for the n-th time; replaces an earlier point. */
export const armed = (name: CrashPointName, nth: number): void => {
  disarmed();
  const { moment } = crashPoints[name];
  const channel = 'on' in moment ? moment.on : 'boxoffice:fact';
  let left = nth;
  const look = (seen: unknown): void => {
    if (!('on' in moment ? isRequest(moment, seen) : isFact(moment, seen))) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  subscribe(channel, look);
  disarm = () => unsubscribe(channel, look);
};
