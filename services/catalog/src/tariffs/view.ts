import type { Static } from 'typebox';
import type { TariffDocument } from '../store.ts';
import type { Tariff } from './schemas.ts';

/** A tariff as answers show it. */
export const tariffView = ({
  id,
  code,
  name,
  criterion,
  createdAt,
  updatedAt,
}: TariffDocument): Static<typeof Tariff> => ({
  id,
  code,
  name,
  criterion,
  createdAt,
  updatedAt,
});
