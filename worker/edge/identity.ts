import { createHash } from 'node:crypto'
import { canonicalIdOf as canonicalIdBy } from '#domain/membridge/identity.rules.ts'

/** A project's id is derived from its name alone, so that all nodes agree without asking anybody [edge#identity]. */
export const canonicalIdOf = (projectName: string): string =>
  canonicalIdBy(projectName, (text) => createHash('sha256').update(text, 'utf8').digest('hex'))
