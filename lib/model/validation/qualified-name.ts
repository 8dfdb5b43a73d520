/**
 * Kubernetes' rules for label keys and values, in the words of its API server, which are part of
 * the messages that people look for.
 *
 * Source: kubernetes v1.36, apimachinery, util/validation/validation.go, IsQualifiedName,
 * IsValidLabelValue, IsDNS1123Subdomain.
 */

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const SUBDOMAIN_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${SUBDOMAIN_LABEL}(\\.${SUBDOMAIN_LABEL})*`;
const MAX_NAME_LENGTH = 63;
const MAX_SUBDOMAIN_LENGTH = 253;

const CHARACTERS =
  "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const matches = (pattern: string, text: string): boolean => new RegExp(`^(${pattern})$`).test(text);

const examples = (pattern: string, ...good: readonly string[]): string =>
  `(e.g. ${good.map((text) => `'${text}'`).join(',  or ')}, regex used for validation is '${pattern}')`;

const tooLong = (length: number): string => `must be no more than ${length} bytes`;

const NAME_RULE = `must consist of ${CHARACTERS} ${examples(NAME, 'MyName', 'my.name', '123-abc')}`;

/** What is wrong with a label key, or any other qualified name; empty where nothing is. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    const optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${NAME_RULE} ${optional}`];
  }
  const [name = '', prefix] = parts.toReversed();
  const problems = prefix === undefined ? [] : prefixProblems(prefix);
  if (name === '') problems.push('name part must be non-empty');
  if (name.length > MAX_NAME_LENGTH) problems.push(`name part ${tooLong(MAX_NAME_LENGTH)}`);
  if (!matches(NAME, name)) problems.push(`name part ${NAME_RULE}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems: string[] = [];
  if (prefix.length > MAX_SUBDOMAIN_LENGTH) {
    problems.push(`prefix part ${tooLong(MAX_SUBDOMAIN_LENGTH)}`);
  }
  if (!matches(SUBDOMAIN, prefix)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    problems.push(`prefix part ${rule} ${examples(SUBDOMAIN, 'example.com')}`);
  }
  return problems;
}

/** What is wrong with a label's value; empty where nothing is. */
export function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (value.length > MAX_NAME_LENGTH) problems.push(tooLong(MAX_NAME_LENGTH));
  if (!matches(`(${NAME})?`, value)) {
    const rule = `a valid label must be an empty string or consist of ${CHARACTERS}`;
    problems.push(`${rule} ${examples(`(${NAME})?`, 'MyValue', 'my_value', '12345')}`);
  }
  return problems;
}
