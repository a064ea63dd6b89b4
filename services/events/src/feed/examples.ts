/** An event as the feed shows it. */
export const event = {
  id: 'evt_5k2m9qx4tb03vn5e0rw',
  type: 'order.confirmed',
  sequence: 4_711,
  occurredAt: '2027-02-01T12:00:00.000Z',
  institution: 'opera',
  resource: {
    type: 'order',
    id: 'ord_00mhs1k9f5g7ja3p1y6d',
    version: 4,
    url: 'https://localhost:8443/svc/v3/orders/ord_00mhs1k9f5g7ja3p1y6d',
  },
  data: {
    state: 'confirmed',
    contactNumber: 'C7K2M9QX4TB03',
    pointOfSale: 'tickets.opera.example',
    performanceIds: ['prf_00mhs1k2e7d3kq0w8z1x'],
    currency: 'CHF',
    total: 12_500,
    paid: 12_500,
    due: 0,
    expiresAt: null,
    confirmedAt: '2027-02-01T12:00:00.000Z',
    cancellation: null,
  },
};
