// The pipeline: the steps that every request passes, in order.
import type { Exchange, Step } from '../exchange/exchange.ts';
import { noSuchEndpoint } from '../exchange/no-such-endpoint.ts';
import { familyOf, readTarget } from '../exchange/target.ts';
import { refuseAmbiguousHeaders } from './ambiguous-headers.ts';

/** The steps that other folders implement. */
export interface StepParts {
  readonly countAddress: Step;
  readonly preflight: Step;
  readonly allowOrigin: Step;
  /** Completes a step before the route is known: what it refuses is counted as well. */
  readonly countingRefusals: (step: (exchange: Exchange) => undefined) => Step;
  readonly findRoute: (exchange: Exchange) => undefined;
  readonly answerOwn: Step;
  readonly refuseOrigin: Step;
  readonly identify: Step;
  readonly countCaller: Step;
  readonly answerCached: Step;
  readonly authorize: Step;
  readonly forward: Step;
}

/** Section 8: https only. A plain request is answered as if the endpoint did not exist. */
const onlyTls: Step = ({ secure }) => {
  if (!secure) throw noSuchEndpoint();
  return undefined;
};

const onlyUnambiguous = ({ request }: Exchange): undefined => {
  refuseAmbiguousHeaders(request);
};

const canonicalise = (exchange: Exchange): undefined => {
  exchange.target = readTarget(exchange.request.url ?? '');
  exchange.family = familyOf(exchange.target.path);
  return undefined;
};

/** The steps in order, each with the statuses that it can answer. */
export const stepsOf = (parts: StepParts): readonly { readonly name: string; readonly run: Step }[] => [
  { name: 'count the address', run: parts.countAddress }, // 429
  { name: 'only over TLS', run: onlyTls }, // 404
  { name: 'only unambiguous headers', run: parts.countingRefusals(onlyUnambiguous) }, // 400
  { name: 'canonical path', run: parts.countingRefusals(canonicalise) }, // 400, 404
  { name: 'preflight', run: parts.preflight }, // 204, 404, 503
  { name: 'allow the origin', run: parts.allowOrigin },
  { name: 'find the route', run: parts.countingRefusals(parts.findRoute) }, // 404, 405, 503
  { name: 'identify by token or API key', run: parts.identify }, // 401, 403, 503
  { name: 'count the caller', run: parts.countCaller }, // 429
  { name: 'answer own operations', run: parts.answerOwn }, // 200
  { name: 'refuse a foreign origin', run: parts.refuseOrigin }, // 403, 500
  { name: 'answer from the response cache', run: parts.answerCached }, // 200
  { name: 'get the decision', run: parts.authorize }, // 401, 403, 503
  { name: 'forward', run: parts.forward }, // 413, 502, 503, or the service's response
];
