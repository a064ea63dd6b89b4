import { createdAt, ids } from '../examples.ts';

export const newTariff = { code: 'FULL', name: { fr: 'Plein tarif', en: 'Full price' } };

export const tariff = { id: ids.tariff, ...newTariff, criterion: null, createdAt, updatedAt: createdAt };
