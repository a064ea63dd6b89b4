import { findIanaName, formatWallTime, parseWallTime, timeZoneRelease } from '@boxoffice/http/local-time';
import type { Clocks } from './domain/clocks.ts';

/** The clocks of places, by the zone data of the product. */
export const clocks: Clocks = {
  release: timeZoneRelease,
  ianaName: findIanaName,
  wallTime: formatWallTime,
  instantOf: parseWallTime,
};
