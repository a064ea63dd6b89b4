import { expect, test } from '@jest/globals';
import { networkOf } from '../../src/index.ts';

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8:1::', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::ffff:0a01:0203', '10.1.2.3'],
  ['unknown', 'unknown'],
  ['no:address', 'no:address'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
