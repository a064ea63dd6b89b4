import { readFileSync, writeFileSync } from 'node:fs';
import { waitUntil } from '@boxoffice/testkit';
import { definitions, isSilent, openScenario, type Scenario } from './scenario/open-scenario.ts';
import { leaveInterruptedWork, runScenario } from './scenario/run-scenario.ts';
import { formatJson } from './snapshot.ts';

export type Stored = Readonly<Record<string, unknown>> & { readonly id: string; readonly institution: string };

export interface Recording {
  /** Epoch milliseconds. */
  readonly writtenAt: number;
  readonly stored: Readonly<Record<string, Readonly<Record<string, readonly Stored[]>>>>;
}

const FILE = new URL('../released/documents.json', import.meta.url);

export function readRecording(): Recording {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

export async function record(): Promise<void> {
  const scenario = await openScenario();
  try {
    await leaveInterruptedWork(scenario, await runScenario(scenario));
    await waitUntil(() => isSilent(scenario));
    const recording: Recording = { writtenAt: Date.now(), stored: await documentsOf(scenario) };
    writeFileSync(FILE, formatJson(recording));
  } finally {
    await scenario.close();
  }
}

const documentsOf = async ({ stores }: Scenario): Promise<Recording['stored']> => {
  const stored: Record<string, Record<string, readonly Stored[]>> = {};
  for (const { name, collections } of Object.values(definitions)) {
    const own: Record<string, readonly Stored[]> = {};
    for (const collection of collections) {
      const all = (await stores[name]?.collection(collection).acrossInstitutions.find()) ?? [];
      own[collection.name] = all.map((one) => ({ ...one }));
    }
    stored[name] = own;
  }
  return stored;
};
