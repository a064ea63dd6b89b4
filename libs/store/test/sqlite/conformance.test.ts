import { storeConformance } from '../../src/conformance/index.ts';
import { sqliteEngine } from './engine.ts';

storeConformance('SQLite', sqliteEngine);
