import { runService } from '@boxoffice/service';
import { tickets } from './app.ts';

await runService(tickets);
