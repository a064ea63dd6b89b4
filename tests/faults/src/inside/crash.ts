import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FactMoment } from '@boxoffice/service';
import { crashPointNamed, type Edge, type FactPoint, type RequestPoint } from '../deployment/crash-points.ts';

/** The channels that report each edge of a request: those of node:http, and those of undici. */
const channels: Readonly<Record<Edge, readonly string[]>> = {
  before: ['http.client.request.start', 'undici:request:create'],
  after: ['http.client.response.finish', 'undici:request:trailers'],
  received: ['http.server.request.start'],
  answered: ['http.server.response.finish'],
};

interface Seen {
  readonly request: { readonly method?: string; readonly path?: string; readonly url?: string };
}

const isRequest = ({ method, path }: RequestPoint, { request }: Seen): boolean => {
  const [target = ''] = (request.path ?? request.url ?? '').split('?', 1);
  return request.method === method && path.test(target);
};

const isFact = (wanted: FactPoint, { queue, type, phase }: FactMoment): boolean =>
  queue === wanted.queue && type === wanted.type && phase === wanted.phase;

let disarm = (): void => undefined;

/** Disarms the crash point, if there is one. */
export const disarmed = (): void => {
  disarm();
  disarm = () => undefined;
};

/** Kills this process with SIGKILL when it reaches the point for the n-th time; replaces an earlier point. */
export const armed = (name: string, nth: number): void => {
  disarmed();
  const { moment } = crashPointNamed(name);
  let left = nth;
  const look = (seen: unknown): void => {
    if (!('edge' in moment ? isRequest(moment, seen as Seen) : isFact(moment, seen as FactMoment))) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const watched = 'edge' in moment ? channels[moment.edge] : ['boxoffice:fact'];
  for (const channel of watched) subscribe(channel, look);
  disarm = () => {
    for (const channel of watched) unsubscribe(channel, look);
  };
};
