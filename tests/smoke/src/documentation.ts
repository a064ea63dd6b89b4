import { type Address, fetchOf } from '@boxoffice/testkit';

/** Reads pages of the documentation: a guide, the reference, and every file that it loads. Returns a summary. */
export const readDocumentation = async (address: Address): Promise<string> => {
  const fetch = fetchOf(address);
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${address.baseUrl}${path}`);
    if (response.status !== 200) throw new Error(`${path} is answered ${response.status}`);
    return response.text();
  };
  await read('/docs/errors');
  await read('/docs/client');
  const files = [...(await read('/docs')).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  for (const file of files) await read(file);
  if (files.length === 0) throw new Error('the reference loads no files');
  return `two guides, and the reference with ${files.length} files`;
};
