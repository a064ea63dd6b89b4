// The example that the API description tells: an evening at the opera.

export const ids = {
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
  line: 'lin_00mhs1k9f5q2w8e4r6t0',
  ticket: 'tic_00mhs1k9f5q2w8e4r6t0',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  place: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
};

const place = { id: ids.place, label: 'A-14', row: 'A', seat: 14 };
const price = { amount: 12_500, currency: 'CHF' };
const about = {
  lineId: ids.line,
  performanceId: ids.performance,
  seatCategoryId: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  tariffId: 'trf_00mhs1k1z2s6xe8b0n4m',
  place,
  price,
};

/** A line of a confirmed order. */
export const wanted = { ticketId: ids.ticket, ...about };
