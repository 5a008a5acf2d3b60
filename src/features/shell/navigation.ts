import {
  Bot,
  Files,
  FileText,
  GitPullRequestArrow,
  Inbox,
  ListChecks,
  type LucideIcon,
  Play,
  ScrollText,
  Settings,
  Users,
} from 'lucide-react'
import type { NavigationCounts } from '#contracts/system.contract.ts'
import type { Action } from '#domain/authority/matrix.ts'

/** A place of the console. `waits` names the number shown beside it, where something waits. */
export type Place = {
  id:
    | 'inbox'
    | 'proposals'
    | 'runs'
    | 'jobs'
    | 'artifacts'
    | 'agents'
    | 'notes'
    | 'zones'
    | 'audit'
    | 'settings'
  href: string
  icon: LucideIcon
  keys: string
  right: Action
  waits?: { count: keyof NavigationCounts; word: 'waiting' | 'running' | 'dead' }
}

export type PlaceGroup = { id: 'decide' | 'work' | 'garden' | 'access' | 'govern'; places: readonly Place[] }

/** The navigation, by what people come for. Only what exists. */
export const NAVIGATION: readonly PlaceGroup[] = [
  {
    id: 'decide',
    places: [
      {
        id: 'inbox',
        href: '/inbox',
        icon: Inbox,
        keys: 'g i',
        right: 'inbox.read',
        waits: { count: 'inbox_pending', word: 'waiting' },
      },
      {
        id: 'proposals',
        href: '/proposals',
        icon: GitPullRequestArrow,
        keys: 'g p',
        right: 'proposal.read',
        waits: { count: 'proposals_waiting', word: 'waiting' },
      },
    ],
  },
  {
    id: 'work',
    places: [
      {
        id: 'runs',
        href: '/runs',
        icon: Play,
        keys: 'g r',
        right: 'run.read',
        waits: { count: 'runs_running', word: 'running' },
      },
      {
        id: 'jobs',
        href: '/jobs',
        icon: ListChecks,
        keys: 'g j',
        right: 'job.read',
        waits: { count: 'jobs_dead', word: 'dead' },
      },
      { id: 'artifacts', href: '/artifacts', icon: Files, keys: 'g a', right: 'artifact.read' },
      { id: 'agents', href: '/agents', icon: Bot, keys: 'g e', right: 'agent.read' },
    ],
  },
  {
    id: 'garden',
    places: [{ id: 'notes', href: '/notes', icon: FileText, keys: 'g n', right: 'note.read' }],
  },
  { id: 'access', places: [{ id: 'zones', href: '/zones', icon: Users, keys: 'g z', right: 'zone.manage' }] },
  {
    id: 'govern',
    places: [
      { id: 'audit', href: '/audit', icon: ScrollText, keys: 'g u', right: 'audit.read' },
      { id: 'settings', href: '/settings', icon: Settings, keys: 'g s', right: 'settings.read' },
    ],
  },
]

/** What stands on a phone's bar: Decide first. */
export const PHONE_PLACES: readonly Place['id'][] = ['inbox', 'proposals', 'runs', 'jobs']

/** The place an address belongs to. */
export const placeAt = (pathname: string): Place | undefined =>
  NAVIGATION.flatMap((g) => g.places).find((p) => pathname === p.href || pathname.startsWith(`${p.href}/`))
