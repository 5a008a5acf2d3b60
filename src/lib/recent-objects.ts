/** The objects that this tab opened last, newest first; of one reader, and forgotten with the tab. Only their names: what they are now is asked for. */
import type { ObjectRef, SearchKind } from '#contracts/search.contract.ts'
import { keepIn, readFrom } from './kept.ts'

const MOST = 8
const KIND_AT: Readonly<Record<string, SearchKind>> = {
  proposals: 'proposal',
  jobs: 'job',
  runs: 'run',
  notes: 'note',
  agents: 'agent',
  artifacts: 'artifact',
  zones: 'zone',
}

/** The object whose page this address is, or null. */
export function objectAt(pathname: string): ObjectRef | null {
  const [place = '', ...rest] = pathname.split('/').slice(1)
  const kind = KIND_AT[place]
  const id = rest.map(decodePart).join('/')
  return kind && id ? { kind, id } : null
}

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const keyOf = (identity: string) => `recent:${identity}`

export const recentObjects = (identity: string): readonly ObjectRef[] => {
  const kept = readFrom<unknown>('session', keyOf(identity))
  return Array.isArray(kept) ? (kept as ObjectRef[]).slice(0, MOST) : []
}

export function noteOpened(identity: string, opened: ObjectRef): void {
  const others = recentObjects(identity).filter(({ kind, id }) => kind !== opened.kind || id !== opened.id)
  keepIn('session', keyOf(identity), [opened, ...others].slice(0, MOST))
}
