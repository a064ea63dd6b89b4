import { t } from '../texts/index.js';

const FEW = 10;

/** What is left of a category. */
export const stockOf = ({ free }) => {
  if (free === 0) return t('soldOut');
  return free <= FEW ? t('placesLeft', { count: free }) : t('placesFree');
};
