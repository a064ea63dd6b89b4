import { findIanaName, formatWallTime, parseWallTime, timeZoneRelease } from '@boxoffice/http/local-time';
import type { Clocks } from './domain/clocks.ts';

export const clocks: Clocks = {
  release: timeZoneRelease,
  ianaName: findIanaName,
  wallTime: formatWallTime,
  instantOf: parseWallTime,
};
