import type { NavigationCounts } from '#contracts/system.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import type { IconName } from '#ui/icon-names.ts'

/** A place of the console. `badge` names the count shown beside it. */
export type Place = {
  id:
    | 'inbox'
    | 'proposals'
    | 'runs'
    | 'jobs'
    | 'tasks'
    | 'artifacts'
    | 'agents'
    | 'notes'
    | 'workers'
    | 'nodes'
    | 'zones'
    | 'leadership'
    | 'alerts'
    | 'audit'
    | 'settings'
  href: string
  icon: IconName
  keys: string
  right: Action
  /** `failed` names a count that is added and shown as what it is. */
  badge?: {
    count: keyof NavigationCounts
    word: 'needs' | 'pending' | 'running' | 'dead' | 'open'
    failed?: keyof NavigationCounts
  }
}

export type PlaceGroup = {
  id: 'decide' | 'work' | 'garden' | 'fleet' | 'access' | 'govern'
  places: readonly Place[]
}

/** The navigation, by what people come for. Only what exists. */
export const NAVIGATION: readonly PlaceGroup[] = [
  {
    id: 'decide',
    places: [
      {
        id: 'inbox',
        href: '/inbox',
        icon: 'inbox',
        keys: 'g i',
        right: 'inbox.read',
        badge: { count: 'needs', word: 'needs' },
      },
      {
        id: 'proposals',
        href: '/proposals',
        icon: 'git-pull-request-arrow',
        keys: 'g p',
        right: 'proposal.read',
        badge: { count: 'proposals_waiting', word: 'pending', failed: 'proposals_failed' },
      },
    ],
  },
  {
    id: 'work',
    places: [
      {
        id: 'runs',
        href: '/runs',
        icon: 'play',
        keys: 'g r',
        right: 'run.read',
        badge: { count: 'runs_running', word: 'running' },
      },
      {
        id: 'jobs',
        href: '/jobs',
        icon: 'list-checks',
        keys: 'g j',
        right: 'job.read',
        badge: { count: 'jobs_dead', word: 'dead' },
      },
      { id: 'tasks', href: '/tasks', icon: 'square-terminal', keys: 'g t', right: 'task.read' },
      { id: 'artifacts', href: '/artifacts', icon: 'files', keys: 'g a', right: 'artifact.read' },
      { id: 'agents', href: '/agents', icon: 'bot', keys: 'g e', right: 'agent.read' },
    ],
  },
  {
    id: 'garden',
    places: [{ id: 'notes', href: '/notes', icon: 'file-text', keys: 'g n', right: 'note.read' }],
  },
  {
    id: 'fleet',
    places: [
      { id: 'workers', href: '/workers', icon: 'cpu', keys: 'g w', right: 'worker.read' },
      { id: 'nodes', href: '/nodes', icon: 'server', keys: 'g o', right: 'node.read' },
      { id: 'leadership', href: '/leadership', icon: 'crown', keys: 'g d', right: 'leadership.read' },
    ],
  },
  {
    id: 'access',
    places: [{ id: 'zones', href: '/zones', icon: 'users', keys: 'g z', right: 'zone.manage' }],
  },
  {
    id: 'govern',
    places: [
      {
        id: 'alerts',
        href: '/alerts',
        icon: 'bell',
        keys: 'g l',
        right: 'alert.read',
        badge: { count: 'alerts_open', word: 'open' },
      },
      { id: 'audit', href: '/audit', icon: 'scroll-text', keys: 'g u', right: 'audit.read' },
      { id: 'settings', href: '/settings', icon: 'settings', keys: 'g s', right: 'settings.read' },
    ],
  },
]

/** So many places need no groups, and all of them fit on a phone's tab bar. */
export const FEW_PLACES = 5

/** The places of a reader by group; few places, a guest's, are one list without a name that begins with the notes: a guest came to read. */
export function navigationOf(
  role: Caller['role'],
): readonly { id: PlaceGroup['id'] | null; places: readonly Place[] }[] {
  const groups = NAVIGATION.map((group) => ({
    ...group,
    places: group.places.filter(({ right }) => may(role, right)),
  })).filter(({ places }) => places.length > 0)
  const all = groups.flatMap(({ places }) => places)
  if (all.length > FEW_PLACES) return groups
  return [{ id: null, places: all.toSorted((a, b) => Number(b.id === 'notes') - Number(a.id === 'notes')) }]
}

/** The tabs of the phone's tab bar: Decide first. */
export const TAB_BAR_PLACES: readonly Place['id'][] = ['inbox', 'proposals', 'runs', 'jobs']

/** The place an address belongs to. */
export const placeAt = (pathname: string): Place | undefined =>
  NAVIGATION.flatMap((g) => g.places).find((p) => pathname === p.href || pathname.startsWith(`${p.href}/`))
