import { projectLabels } from '#server/artifacts/project-labels.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 5_000

/** Brings the added tags of artifacts up to the garden whenever its head has moved past the Apply Engine, which does so itself. */
export function labelsLoop({ db, garden }: Pick<Services, 'db' | 'garden'>): Loop {
  let seen: string | null = null
  return {
    name: 'labels',
    everyMs: EVERY_MS,
    async tick() {
      const head = await garden.head()
      if (head === seen) return 'idle'
      await projectLabels(db, garden, head)
      seen = head
      return 'idle'
    },
  }
}
