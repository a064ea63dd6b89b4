import type { Exchange } from '../exchange/exchange.ts';
import { sentStatus } from '../telemetry/access-log.ts';
import type { Meter } from './meter.ts';

/** The operation of a path or a method that does not exist. */
const NO_OPERATION = 'none';

/** Counts an exchange that has ended, if a verified token or a valid API key came with it. */
export const countExchange = (meter: Pick<Meter, 'record' | 'ended'>, exchange: Exchange): void => {
  const { claims, apiKey, admittedKey, route, response, bytesOut } = exchange;
  const institution = claims?.institution ?? apiKey?.institution;
  if (institution === undefined) return;
  meter.record({
    institution,
    apiKeyId: apiKey?.apiKeyId ?? null,
    clientId: claims?.client_id ?? null,
    // The subject of a client's own token is the client.
    userId: claims === undefined || claims.sub === claims.client_id ? null : claims.sub,
    operation: route?.operation ?? NO_OPERATION,
    status: sentStatus(response),
    admitted: admittedKey !== undefined,
    bytes: bytesOut,
  });
  if (admittedKey !== undefined) meter.ended(admittedKey);
};
