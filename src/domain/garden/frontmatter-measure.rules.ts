import { utf8Length } from './garden-path.ts'
import { isBlank, Levels } from './levels.ts'
import { type BudgetFault, NOTE_BUDGET, over } from './note-budget.rules.ts'

/** The first budget that the YAML of a front matter passes, or null. */
export function frontmatterFault(yaml: string): BudgetFault | null {
  if (yaml.length > NOTE_BUDGET.frontmatter_bytes || utf8Length(yaml) > NOTE_BUDGET.frontmatter_bytes)
    return over('frontmatter_bytes')
  let [entries, aliases, flow] = [0, 0, 0]
  const levels = new Levels()
  for (const line of yaml.split('\n')) {
    let at = 0
    for (; at < line.length; at++) {
      if (line[at] === ' ') continue
      if ((line[at] !== '-' && line[at] !== '?') || !isBlank(line[at + 1])) break
      levels.open(at)
    }
    if (at < line.length) levels.open(at)
    if (levels.depth > NOTE_BUDGET.frontmatter_depth) return over('frontmatter_depth')
    entries++
    for (; at < line.length; at++) {
      const char = line[at]
      if (char === '[' || char === '{') flow++
      else if ((char === ']' || char === '}') && flow > 0) flow--
      else if (char === ',' || (char === ':' && isBlank(line[at + 1]))) entries++
      else if ((char === '*' || char === '&') && !isBlank(line[at + 1])) aliases++
      if (levels.depth + flow > NOTE_BUDGET.frontmatter_depth) return over('frontmatter_depth')
    }
    if (entries > NOTE_BUDGET.frontmatter_entries) return over('frontmatter_entries')
    if (aliases > NOTE_BUDGET.frontmatter_aliases) return over('frontmatter_aliases')
  }
  return null
}
