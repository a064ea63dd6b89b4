import { signInKillsAt } from '../scenarios/sign-ins.ts';
import type { Control } from './control.ts';

/** An interval has the requests of its last report only. */
export const usageOverwritten: Control = {
  name: 'usage-overwritten',
  bug: 'a report replaces the usage that its interval has, instead of being added to it',
  engines: 'embedded',
  mutations: [
    {
      file: 'authorizer/src/usage/record.ts',
      from: 'rows: mergedRows(current?.rows ?? [], added),',
      to: 'rows: mergedRows([], added),',
    },
  ],
  scenario: signInKillsAt(['gateway-after-report', 'authorizer-report-answered']),
};

/** A refresh token stays valid beside its successor. */
export const refreshTokenKept: Control = {
  name: 'refresh-token-kept',
  bug: 'a refresh token that was used before gives tokens again instead of ending its grant',
  engines: 'embedded',
  mutations: [
    {
      file: 'authorizer/src/domain/grant.ts',
      from: 'at - previous.usedAt <= REPEAT_MS;',
      to: 'at - previous.usedAt <= REPEAT_MS || hash !== refresh.hash;',
    },
  ],
  scenario: signInKillsAt(['authorizer-grant-answered', 'gateway-after-grant']),
};
