/** POSIX classes, which only count inside brackets. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** What stands for the same in JavaScript, outside brackets; `\s` and `.` are wider there. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '.': '[^\\n]',
  ']': '\\]',
  '(?P<': '(?<',
  '\\s': '[\\t\\n\\f\\r ]',
  '\\S': '[^\\t\\n\\f\\r ]',
  '\\A': '^',
  '\\z': '$',
  '\\a': '\\x07',
};
const INSIDE: Readonly<Record<string, string>> = {
  '[': '\\[',
  '\\s': '\\t\\n\\f\\r ',
  '\\a': '\\x07',
  '\\-': '\\-',
};

/** Look-around, flags, back-references, and escapes that mean something in one dialect only. */
const FOREIGN = /^(?:\(\?|\\[1-9CEGQZkpP])$/;

const TOKEN = /\(\?(?::|P<|<(?![=!]))?|\[\^?|\\[\s\S]|[\s\S]/gy;
const TOKEN_IN_BRACKETS = /\[:\^?\w+:\]|\\[\s\S]|[\s\S]/gy;

/**
 * A JavaScript expression that matches what RE2 matches with `pattern`, anywhere in a text.
 *
 * The two differ in what `.` and `\s` cover, in how groups are named, in POSIX classes and in
 * which brackets stand for themselves; all that is translated. What only one of them has
 * (look-around, back-references; flags, `\Q`, `\p`) is refused with an Error, so that no pattern
 * quietly means something else. Source: the syntax that Go's regexp accepts.
 */
export function re2(pattern: string): RegExp {
  let translated = '';
  for (let at = 0; at < pattern.length; ) {
    const token = tokenAt(TOKEN, pattern, at);
    if (FOREIGN.test(token)) throw new Error(`pattern ${pattern}: ${token} is not supported`);
    at += token.length;
    if (token.startsWith('[')) {
      const members = bracketMembers(pattern, at);
      translated += `${token}${members.translated}]`;
      at = members.end;
    } else {
      translated += OUTSIDE[token] ?? withoutNeedlessEscape(token);
    }
  }
  return new RegExp(translated, 'u');
}

/** What stands between brackets from `start` on, translated, and where the class ends. */
function bracketMembers(pattern: string, start: number): { translated: string; end: number } {
  let translated = '';
  for (let at = start; at < pattern.length; ) {
    const token = tokenAt(TOKEN_IN_BRACKETS, pattern, at);
    at += token.length;
    // A closing bracket in first place is a member.
    if (token === ']' && translated !== '') return { translated, end: at };
    translated += bracketMember(token, pattern);
  }
  throw new Error(`pattern ${pattern}: a bracket is not closed`);
}

function bracketMember(token: string, pattern: string): string {
  if (token === ']') return '\\]';
  if (!token.startsWith('[:')) return INSIDE[token] ?? withoutNeedlessEscape(token);
  const members = POSIX[token.slice(2, -2)];
  if (members === undefined) throw new Error(`pattern ${pattern}: ${token} is not supported`);
  return members;
}

/** RE2 lets any punctuation be escaped; JavaScript only what would mean something otherwise. */
function withoutNeedlessEscape(token: string): string {
  return /^\\[^\w^$\\.*+?()[\]{}|/]$/.test(token) ? token.slice(1) : token;
}

function tokenAt(tokens: RegExp, pattern: string, at: number): string {
  tokens.lastIndex = at;
  return tokens.exec(pattern)?.[0] ?? '';
}
