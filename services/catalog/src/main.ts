import { runService } from '@boxoffice/service';
import { catalog } from './app.ts';

await runService(catalog);
