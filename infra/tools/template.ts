/** Writes the SAM template: `npm run template`. A test makes it again and compares. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { samTemplate } from '../template.ts';

const file = fileURLToPath(new URL('../template.yaml', import.meta.url));
await writeFile(file, samTemplate());
process.stdout.write(`${file}\n`);
