/** Numbers that look random and are fixed by a seed: the embedded world's only source of chance. */
export interface Random {
  /** In [0, 1). */
  readonly next: () => number;
  /** A whole number in [from, to], both included. */
  readonly between: (from: number, to: number) => number;
  /** A stream of its own, so that one part's draws do not shift another's. */
  readonly fork: (name: string) => Random;
}

/** A stream fixed by `seed` and `name`. Source: sfc32 seeded by FNV-1a, both public domain. */
export function seededRandom(seed: number, name = ''): Random {
  let hash = 2166136261;
  for (const character of `${seed}/${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  }
  let [a, b, c, d] = [hash, hash ^ 0x9e3779b9, hash ^ 0x243f6a88, 1];
  const next = (): number => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let warmUp = 0; warmUp < 12; warmUp += 1) next();
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    fork: (child) => seededRandom(seed, `${name}/${child}`),
  };
}
