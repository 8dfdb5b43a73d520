/** Makes infra/template.yaml and infra/PARAMETERS.md anew: `npm run template`. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parametersMarkdown } from '../parameters/markdown.ts';
import { samTemplate } from '../template.ts';

const template = samTemplate();
const made = [
  ['../template.yaml', template],
  ['../PARAMETERS.md', parametersMarkdown()],
] as const;
for (const [name, text] of made) {
  const file = fileURLToPath(new URL(name, import.meta.url));
  await writeFile(file, text);
  process.stdout.write(`${file}\n`);
}
