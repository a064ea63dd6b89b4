import { runService } from '@boxoffice/service';
import { payments } from './app.ts';

await runService(payments);
