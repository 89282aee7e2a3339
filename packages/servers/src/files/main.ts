import { serve } from '../serve.ts';

await serve('files', () => import('./tools.ts'));
