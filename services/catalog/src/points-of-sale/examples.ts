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

export const pointOfSale = { ...newPointOfSale, createdAt, updatedAt: createdAt };
