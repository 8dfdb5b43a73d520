import type { Parameter } from './parameter.ts';
import { ALL_PARAMETERS } from './table.ts';

const HEAD = `# Parameters of a deployment

Made by \`npm run template\`. Both doors know them by these names:

- SAM: \`sam deploy --guided\` asks for each; \`--parameter-overrides Name=value …\` tells it.
- CDK: \`npm run cdk -- deploy -c Name=value …\`, or once and for all in \`infra/cdk.context.json\` (\`{ "ClusterName": "shop", … }\`).
- A CDK app of your own: the construct's properties (\`JoineryProps\`), which bear the same names in their own spelling; what ends
  on the settings of the functions stands in \`settings\` by the setting's name (README, "Settings of the functions").

A value that cannot be right is refused with a sentence before anything is made.

| parameter | says | default |
|---|---|---|
`;

/** The table of parameters, as the text of infra/PARAMETERS.md. */
export const parametersMarkdown = (): string => HEAD + ALL_PARAMETERS.map(row).join('');

function row({ name, says, choices, fallback }: Parameter): string {
  const choice = choices ? ` One of ${choices.join(', ')}.` : '';
  const text = `${says}${choice}`.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return `| \`${name}\` | ${text} | ${defaultOf(fallback)} |\n`;
}

function defaultOf(fallback: string | undefined): string {
  if (fallback === undefined) return 'must be told';
  return fallback === '' ? 'empty' : `\`${fallback}\``;
}
