// Cross-origin rules: which web pages may call family A, by clients and keys, and family B, by point of sale.
import { type Fault, PosFault } from '@boxoffice/envelope';
import cors from 'cors';
import { setCommonHeaders } from '../exchange/answer.ts';
import { answered, type Exchange, type Step } from '../exchange/exchange.ts';
import { unavailable } from '../exchange/faults.ts';
import { EXPOSED_HEADERS, type InstitutionCors, isPreflight, PREFLIGHT_SECONDS } from './institution-cors.ts';
import type { Origins, PointsOfSale } from './points-of-sale.ts';

const SERVICE_HOST = 'x-service-host';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

/** The cross-origin rules of both families; of family B those of section 4, rule 9. */
interface Cors {
  /** Answers a preflight with 204: in family B for any origin, because a preflight names no point of sale. */
  readonly preflight: Step;
  /**
   * Sets the headers that let the origin read the response, including errors, if the point of sale allows the origin,
   * or in family A the installation names it.
   */
  readonly allow: Step;
  /** Refuses a request from an origin that the point of sale does not allow, before it has any effect. */
  readonly refuse: Step;
}

const everyone = cors({ origin: '*', exposedHeaders: EXPOSED_HEADERS });
const preflight = cors({ origin: '*', methods: METHODS, maxAge: PREFLIGHT_SECONDS });
const listed = cors({ origin: (origin, done) => done(null, origin ?? false), exposedHeaders: EXPOSED_HEADERS });

const done = (): undefined => undefined;

const SCHEME = 'https://';

/** Loopback names and addresses in URL form. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const bare = (address: string): string => address.replace(/^::ffff:/, '').replace(/^\[(.*)\]$/, '$1');

/**
 * Whether the origin is this gateway itself, according to the `Host` of the request: the public name at any port, a
 * loopback name, or the local address of the connection. Other names do not count, because the client chooses `Host`.
 * Only https is served.
 */
const isReached = (origin: string, { headers: { host }, socket }: Exchange['request'], publicName: string): boolean => {
  if (host === undefined || origin !== SCHEME + host) return false;
  const name = host.replace(/:\d*$/, '');
  return name === publicName || LOOPBACK.test(name) || bare(name) === bare(socket.localAddress ?? '');
};

const refusalOf = (origins: Origins | undefined): Fault =>
  origins === undefined
    ? unavailable('The allowed origins of the point of sale cannot be read; try again later.')
    : new PosFault('origin_not_allowed', 'The point of sale does not allow requests from this Origin.');

/** Makes the steps. Without a catalog family B allows no foreign origin. */
export const createCors = (
  pointsOfSale: PointsOfSale | undefined,
  publicUrl: string,
  institution: InstitutionCors,
): Cors => {
  const { origin: publicOrigin, hostname: publicName } = new URL(publicUrl);

  const allowFrom = (exchange: Exchange, origin: string, origins: Origins | undefined): undefined => {
    const { request, response } = exchange;
    // The cors package treats every OPTIONS as a preflight; this one is not, and a later step refuses it.
    if (request.method === 'OPTIONS') return;
    if (origins === 'all') everyone(request, response, done);
    else if (origin === publicOrigin || isReached(origin, request, publicName) || origins?.includes(origin)) {
      listed(request, response, done);
    } else exchange.originRefusal = refusalOf(origins);
  };

  return {
    preflight(exchange) {
      const { family, request, response } = exchange;
      if (family === 'A') return institution.preflight(exchange);
      if (!isPreflight(request)) return undefined;
      setCommonHeaders(exchange);
      preflight(request, response, done);
      return answered;
    },
    allow(exchange) {
      if (exchange.family === 'A') return institution.allow(exchange);
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
