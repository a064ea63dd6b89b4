import { contention } from '../scenarios/contention.ts';
import { neighbours } from '../scenarios/neighbours.ts';
import { races } from '../scenarios/races.ts';
import { type Control, inWriterThread } from './control.ts';

const DOCUMENTS = 'libs/store/src/sqlite/documents.ts';

/** A claim reads first and then writes what it has read. */
export const claimWithoutSwap: Control = {
  name: 'claim-without-compare-and-swap',
  bug: 'a claim reads the places that are free, and writes them without comparing them again',
  engines: 'embedded',
  mutations: [
    {
      file: DOCUMENTS,
      from: `const rows = written(await file.write([claimStep(table, institution, request)], 0));`,
      to: `const { where, set, limit } = request;
      const found = await documentsOf(file, table, institution).find({ where, limit });
      const chosen = { where: { id: { in: found.map(({ id }) => id) } }, set };
      const rows = written(await file.write([claimStep(table, institution, chosen)], 0));`,
    },
  ],
  scenario: contention,
};

/** An update does not compare the version that it has read. */
export const updateWithoutVersion: Control = {
  name: 'update-without-version',
  bug: 'an update does not compare the version of the document that it has read',
  engines: 'embedded',
  mutations: [
    {
      file: DOCUMENTS,
      from: `AND version = ? AND institution = ?\`;
    const step: Step = [sql, 'must', [version + 1, bodyOf(next), id, version, home]];`,
      to: `AND institution = ?\`;
    const step: Step = [sql, 'must', [version + 1, bodyOf(next), id, home]];`,
    },
  ],
  scenario: races,
};

/** The idempotency record is not written. */
export const noDeduplication: Control = {
  name: 'no-deduplication',
  bug: 'the idempotency record is not written with its effect',
  engines: 'embedded',
  mutations: [
    {
      file: DOCUMENTS,
      from: 'const first = remembered ? [takeKey(remembered)] : [];',
      to: 'const first: Step[] = [];',
    },
  ],
  scenario: contention,
};

/** A write that loses its race leaves its first steps, the idempotency record among them. */
export const noRollback: Control = {
  name: 'no-rollback',
  bug: 'a write that loses its race is not rolled back, so its idempotency record stays',
  engines: 'embedded',
  mutations: [
    {
      file: 'libs/store/src/sqlite/writer/group.ts',
      from: `if (several) file.database.exec('ROLLBACK TO write; RELEASE write');
        return unmet(at);`,
      to: `if (several) file.database.exec('RELEASE write');
        return unmet(at);`,
    },
    inWriterThread,
  ],
  scenario: races,
};

const LEAK = /another institution's data/;

/** Queries by conditions find the documents of all institutions. */
export const institutionDropped: Control = {
  name: 'institution-dropped',
  bug: 'the filter by institution is dropped from the queries of the store',
  engines: 'embedded',
  mutations: [
    {
      file: 'libs/store/src/sqlite/where.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      from: '...(institution === undefined ? [] : [{ sql: `${plus}institution = ?`, values: [institution] }]),',
      to: '',
    },
  ],
  scenario: neighbours,
  expectation: LEAK,
};

/** Reads by id find the documents of all institutions. */
export const institutionDroppedById: Control = {
  name: 'institution-dropped-by-id',
  bug: 'the filter by institution is dropped from reads by id',
  engines: 'embedded',
  mutations: [
    {
      file: DOCUMENTS,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      from: 'FROM "${table.name}" WHERE id = ?${within}`;\n    const [row] = file.reader.all(sql, [id, ...tenant]);',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
      to: 'FROM "${table.name}" WHERE id = ?`;\n    const [row] = file.reader.all(sql, [id]);',
    },
  ],
  scenario: neighbours,
  expectation: LEAK,
};
