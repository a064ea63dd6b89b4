// A result in words.
import { hasText, localised, t, timeOf } from './texts/index.js';

/** Why a scan has its result; empty for an admission. `performances`: those that the phone knows. */
export const reasonOf = ({ reason, control, performanceId }, performances) => {
  if (reason === null) return '';
  if (reason === 'ticket_already_controlled' && control) {
    const name = control.gate === null ? 'already_at' : 'already_at_gate';
    return t(`reasons.${name}`, { time: timeOf(control.at), gate: control.gate });
  }
  const other = performances.find(({ id }) => id === performanceId);
  if (reason === 'ticket_other_performance' && other) {
    const performance = `${timeOf(other.startDate, other.timeZone)} ${localised(other.name)}`;
    return t('reasons.ticket_other_performance_named', { performance });
  }
  return hasText(`reasons.${reason}`) ? t(`reasons.${reason}`) : t('reasons.other', { code: reason });
};

/** A place with its category: rows of two categories have the same letters. Empty without a place. */
export const placeOf = ({ place, seatCategory }) =>
  [seatCategory && localised(seatCategory), place].filter(Boolean).join(' · ');

/** What a steward should know beside the result. */
export const notesOf = ({ result, isNew, isAlone }) => [
  ...(isNew && result === 'admitted' ? [t('isNew')] : []),
  ...(isAlone ? [t('isAlone')] : []),
];
