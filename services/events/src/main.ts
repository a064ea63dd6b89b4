import { runService } from '@boxoffice/service';
import { events } from './app.ts';

await runService(events);
