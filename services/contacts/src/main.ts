import { runService } from '@boxoffice/service';
import { contacts } from './app.ts';

await runService(contacts);
