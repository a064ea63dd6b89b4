import { type CodeState, isSameCode, type Price } from '@boxoffice/prices';
import { type Refused, refuse } from './decisions.ts';

const INAPPLICABLE: readonly CodeState['state'][] = ['not_valid_now', 'contact_required', 'not_matching'];

export type PriceCheck = (price: Pick<Price, 'codes' | 'lines'>) => Refused | undefined;

/** The first refusal of what an order names: `unknown_code`, `code_used_up`, `code_not_applicable`, `tariff_locked`. */
export function checkPrice({ codes, lines }: Pick<Price, 'codes' | 'lines'>): Refused | undefined {
  const list = (...states: readonly CodeState['state'][]): string =>
    codes.flatMap(({ code, state }) => (states.includes(state) ? [`${code} (${state})`] : [])).join(', ');
  const [unknown, usedUp, others] = [list('unknown'), list('limit_reached'), list(...INAPPLICABLE)];
  if (unknown) {
    const { refused } = refuse('unknown_code', `$.codes has codes that do not exist: ${unknown}.`);
    return { refused: { ...refused, unknownCodes: codes.filter(({ state }) => state === 'unknown').length } };
  }
  if (usedUp) return refuse('code_used_up', `$.codes has codes without a use that is free: ${usedUp}.`);
  if (others) return refuse('code_not_applicable', `$.codes has codes that are of no use to this order: ${others}.`);
  return checkUnlocking({ lines });
}

/** Refused: `tariff_locked`, if nothing unlocks the hidden tariff of a line. */
export function checkUnlocking({ lines }: Pick<Price, 'lines'>): Refused | undefined {
  return lines.some(({ locked }) => locked) ? refuse('tariff_locked') : undefined;
}

/** Of a code that a cart is given: there it may wait for the lines and the contact that it needs. */
export function createCartCodeCheck(given: string): PriceCheck {
  return ({ codes, lines }) => {
    const judged = codes.filter(({ code, state }) => isSameCode(code, given) && !isWaiting(state));
    return checkPrice({ codes: judged, lines });
  };
}

const isWaiting = (state: CodeState['state']): boolean => state === 'contact_required' || state === 'not_matching';
