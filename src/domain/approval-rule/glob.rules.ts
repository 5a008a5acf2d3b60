/**
 * Globs of paths: `?` is one character and `*` any run of them inside one folder, `**` any run across folders. The pattern is walked as a
 * set of positions, so that its cost is its length times that of the text, whatever it holds.
 */
type Token = { one: string } | { many: 'inside' | 'across' } | { any: true }

function tokensOf(glob: string): Token[] {
  const tokens: Token[] = []
  const characters = [...glob]
  for (let at = 0; at < characters.length; at++) {
    const one = characters[at] as string
    if (one === '?') tokens.push({ any: true })
    else if (one !== '*') tokens.push({ one })
    else if (characters[at + 1] === '*') {
      tokens.push({ many: 'across' })
      while (characters[at + 1] === '*') at++
    } else tokens.push({ many: 'inside' })
  }
  return tokens
}

/** True when a glob consists of nothing but wildcards, and so matches almost anything. */
export const isOnlyWildcards = (glob: string): boolean => /^[*?/]*$/.test(glob)

/** Whether the whole text fits the glob. */
export function globMatches(glob: string, text: string): boolean {
  const tokens = tokensOf(glob)
  let positions = closed(tokens, new Set([0]))
  for (const character of text) {
    const next = new Set<number>()
    for (const at of positions) {
      const token = tokens[at]
      if (!token) continue
      if ('many' in token) {
        if (token.many === 'across' || character !== '/') next.add(at)
      } else if ('any' in token ? character !== '/' : token.one === character) next.add(at + 1)
    }
    if (next.size === 0) return false
    positions = closed(tokens, next)
  }
  return positions.has(tokens.length)
}

/** With each position before a run also the position behind it, since a run may be empty. */
function closed(tokens: readonly Token[], positions: Set<number>): Set<number> {
  for (const at of positions) {
    const token = tokens[at]
    if (token && 'many' in token) positions.add(at + 1)
  }
  return positions
}
