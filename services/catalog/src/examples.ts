// What the examples of the API description have in common: an opera house.

export const createdAt = '2027-01-11T09:00:00.000Z';

export const ids = {
  product: 'prd_00mhs1k2a4h9rv2c6t5b',
  performance: 'prf_00mhs1k2e7d3kq0w8z1x',
  category: 'cat_00mhs1k2e7d3kq0w8z1x_0',
  place: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14',
  tariff: 'trf_00mhs1k1z2s6xe8b0n4m',
  order: 'ord_00mhs1k9f5g7ja3p1y6d',
};

/** `asOf` of lists. */
export const asOf = '2027-02-01T11:59:45.000Z';
