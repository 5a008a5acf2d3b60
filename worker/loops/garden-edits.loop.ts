import { recordEdits } from '#server/apply/record-edits.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

/** Open pages show an edit within two seconds; a look costs one read of the branch. */
const EVERY_MS = 500

/** Tells open pages of what was committed past the console ([apply#edits-by-hand]). */
export function gardenEditsLoop(parts: Pick<Services, 'db' | 'garden'>): Loop {
  let seen: string | null = null
  return {
    name: 'garden-edits',
    everyMs: EVERY_MS,
    async tick() {
      seen = await recordEdits(parts, seen)
      return 'idle'
    },
  }
}
