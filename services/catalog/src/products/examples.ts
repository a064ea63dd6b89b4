import { createdAt, ids } from '../examples.ts';
import { performance } from '../performances/examples.ts';

export const newProduct = {
  code: 'TOSCA-2027',
  type: 'show' as const,
  name: { fr: 'Tosca', en: 'Tosca' },
  description: { en: 'Opera in three acts by Giacomo Puccini' },
  state: 'running' as const,
  startDate: '2027-03-14T19:30:00.000Z',
  endDate: '2027-03-28T22:15:00.000Z',
};

export const product = {
  ...newProduct,
  id: ids.product,
  priceFrom: 12_500,
  currency: 'CHF',
  performances: [performance],
  createdAt,
  updatedAt: createdAt,
};
