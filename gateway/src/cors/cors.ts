import { type Fault, PosFault } from '@boxoffice/envelope';
import cors from 'cors';
import { setCommonHeaders } from '../exchange/answer.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import { unavailable } from '../exchange/faults.ts';
import type { Origins, PointsOfSale } from './points-of-sale.ts';

const SERVICE_HOST = 'x-service-host';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
const EXPOSED = ['X-auth-token', 'X-Total-Amount', 'Link', 'X-Request-Id'];

/** Browsers need not ask again for so long. */
const PREFLIGHT_SECONDS = 600;

/** The cross-origin rules of family B (section 4, rule 9). */
export interface Cors {
  /** Answers a preflight: 204 for any origin, since it names no point of sale. */
  readonly preflight: Step;
  /** Lets the origin read the answer, whatever it will be, if the point of sale lets it in. */
  readonly allow: Step;
  /** Refuses the request of an origin that the point of sale does not let in, before anything is done for it. */
  readonly refuse: Step;
}

const everyone = cors({ origin: '*', exposedHeaders: EXPOSED });
const preflight = cors({ origin: '*', methods: METHODS, maxAge: PREFLIGHT_SECONDS });
const listed = cors({ origin: (origin, done) => done(null, origin ?? false), exposedHeaders: EXPOSED });

const isPreflight = ({ method, headers }: Exchange['request']): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

const done = (): undefined => undefined;

const SCHEME = 'https://';

/** Of loopback: names and addresses, as URLs have them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const bare = (address: string): string => address.replace(/^::ffff:/, '').replace(/^\[(.*)\]$/, '$1');

/**
 * Whether a page of that origin came from this gateway, as the `Host` of the request says: with the name of the public address, at any
 * port, a name or address of loopback, or the address that the connection arrived at. No other name counts, for the request says it
 * itself. Only https is served.
 */
const isReached = (origin: string, { headers: { host }, socket }: Exchange['request'], publicName: string): boolean => {
  if (host === undefined || origin !== SCHEME + host) return false;
  const name = host.replace(/:\d*$/, '');
  return name === publicName || LOOPBACK.test(name) || bare(name) === bare(socket.localAddress ?? '');
};

const refusalOf = (origins: Origins | undefined): Fault =>
  origins === undefined
    ? unavailable('Which origins the point of sale lets in cannot be told at the moment.')
    : new PosFault('origin_not_allowed', 'The point of sale does not let requests of this Origin in.');

/** Makes the steps. Without a catalog nobody can tell who may, and no foreign origin does. */
export const createCors = (pointsOfSale: PointsOfSale | undefined, publicUrl: string): Cors => {
  const { origin: publicOrigin, hostname: publicName } = new URL(publicUrl);

  const allowFrom = (exchange: Exchange, origin: string, origins: Origins | undefined): undefined => {
    const { request, response } = exchange;
    // The package takes any OPTIONS for a preflight; this one is none, and is refused further on.
    if (request.method === 'OPTIONS') return;
    if (origins === 'all') everyone(request, response, done);
    else if (origin === publicOrigin || isReached(origin, request, publicName) || origins?.includes(origin)) {
      listed(request, response, done);
    } else exchange.originRefusal = refusalOf(origins);
  };

  return {
    preflight(exchange) {
      const { family, request, response } = exchange;
      if (family !== 'B' || !isPreflight(request)) return undefined;
      setCommonHeaders(exchange);
      preflight(request, response, done);
      return answered;
    },
    allow(exchange) {
      if (exchange.family !== 'B') return undefined;
      const { request, response } = exchange;
      const { origin, [SERVICE_HOST]: host } = request.headers;
      response.setHeader('Vary', 'Origin');
      if (origin === undefined) return undefined;
      const origins = typeof host === 'string' && host !== '' ? pointsOfSale?.origins(host) : 'all';
      return typeof origins === 'object' && 'then' in origins
        ? origins.then((found) => allowFrom(exchange, origin, found))
        : allowFrom(exchange, origin, origins);
    },
    refuse({ originRefusal }) {
      if (originRefusal) throw originRefusal;
      return undefined;
    },
  };
};
