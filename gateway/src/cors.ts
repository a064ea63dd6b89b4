import cors from 'cors';
import { setCommonHeaders } from './answer.ts';
import { answered, type Exchange, type Step } from './exchange.ts';
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
  /** Lets the origin read the answer, whatever it will be, if the point of sale lets it. */
  readonly allow: Step;
}

const everyone = cors({ origin: '*', exposedHeaders: EXPOSED });
const preflight = cors({ origin: '*', methods: METHODS, maxAge: PREFLIGHT_SECONDS });

const isPreflight = ({ method, headers }: Exchange['request']): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

const done = (): undefined => undefined;

const allowFrom = ({ request, response }: Exchange, origins: Origins | undefined): undefined => {
  // The package takes any OPTIONS for a preflight; this one is none, and is refused further on.
  if (request.method === 'OPTIONS') return;
  if (origins === 'all') everyone(request, response, done);
  // Nobody can say who may: nobody may, as long as that lasts.
  else cors({ origin: [...(origins ?? [])], exposedHeaders: EXPOSED })(request, response, done);
};

/** Makes the steps. Without a catalog there are no lists, and every origin may. */
export const createCors = (pointsOfSale: PointsOfSale | undefined): Cors => ({
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
    response.setHeader('Vary', 'Origin');
    if (request.headers.origin === undefined) return undefined;
    const host = request.headers[SERVICE_HOST];
    const origins = pointsOfSale && typeof host === 'string' && host !== '' ? pointsOfSale.origins(host) : 'all';
    return typeof origins === 'object' && 'then' in origins
      ? origins.then((found) => allowFrom(exchange, found))
      : allowFrom(exchange, origins);
  },
});
