import { createdAt, ids } from '../examples.ts';

export const newPointOfSale = {
  serviceHost: 'tickets.opera.example',
  name: 'Web shop',
  languages: ['fr', 'en', 'de'],
  currency: 'CHF',
  corsOrigins: ['https://www.opera.example'],
  tariffIds: [ids.tariff],
  paymentMethods: ['external' as const],
  maxPlacesPerOrder: 8,
  holdMinutes: 15,
  ticketDelivery: 'electronic' as const,
  shopperCancellationMinutes: 0,
};

/** One that the demo data do not have, so that the example can be sent. */
export const addedPointOfSale = { ...newPointOfSale, serviceHost: 'agency.opera.example', name: 'Agency' };

export const pointOfSale = { ...newPointOfSale, createdAt, updatedAt: createdAt };
