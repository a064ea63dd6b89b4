import { createdAt, ids } from '../examples.ts';

export const newTariff = { code: 'FULL', name: { fr: 'Plein tarif', en: 'Full price' } };

/** One that the demo data do not have, so that the example can be sent. */
export const addedTariff = { code: 'FAMILY', name: { fr: 'Familles', en: 'Families' } };

export const tariff = { id: ids.tariff, ...newTariff, criterion: null, createdAt, updatedAt: createdAt };
