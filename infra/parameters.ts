import { parse } from 'yaml';

interface Parameter {
  readonly Description: string;
  readonly Default?: string | number;
  readonly AllowedValues?: readonly string[];
}

const HEAD = `# Parameters of infra/template.yaml

Made by \`npm run template\`. The construct \`Joinery\` takes the same as properties (infra/stack/props.ts); what ends on the
settings of the functions it takes as \`settings\`.

| parameter | says | default |
|---|---|---|
`;

/** The table of a template's parameters, as the text of infra/PARAMETERS.md. */
export function parametersMarkdown(template: string): string {
  const { Parameters }: { readonly Parameters: Readonly<Record<string, Parameter>> } = parse(
    template,
    { version: '1.1' },
  );
  return HEAD + Object.entries(Parameters).map(row).join('');
}

function row([name, { Description, Default, AllowedValues }]: [string, Parameter]): string {
  const choice = AllowedValues ? ` One of ${AllowedValues.join(', ')}.` : '';
  const says = `${Description}${choice}`.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return `| \`${name}\` | ${says} | ${fallback(Default)} |\n`;
}

function fallback(value: Parameter['Default']): string {
  if (value === undefined) return 'must be told';
  return value === '' ? 'empty' : `\`${value}\``;
}
