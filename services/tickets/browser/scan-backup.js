// The second place of scans that the server has not answered: the page's storage of texts, a key for each.

const PREFIX = 'boxoffice.door.scan.';

/** `storage`: such as `localStorage`. */
export function createScanBackup(storage) {
  return {
    /** The scans that are there. */
    all: () =>
      Object.keys(storage)
        .filter((key) => key.startsWith(PREFIX))
        .map((key) => JSON.parse(storage.getItem(key))),
    /** Whether the scan could be put there. */
    put(scan) {
      try {
        storage.setItem(`${PREFIX}${scan.nonce}`, JSON.stringify(scan));
        return true;
      } catch {
        return false;
      }
    },
    remove: (nonce) => storage.removeItem(`${PREFIX}${nonce}`),
  };
}
