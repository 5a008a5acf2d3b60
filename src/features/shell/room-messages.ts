import { messages as agents } from '#features/agents/messages.ts'
import { messages as alerts } from '#features/alerts/messages.ts'
import { messages as api } from '#features/api/messages.ts'
import { messages as approvalRules } from '#features/approval-rules/messages.ts'
import { messages as artifacts } from '#features/artifacts/messages.ts'
import { messages as audit } from '#features/audit/messages.ts'
import { messages as auth } from '#features/auth/messages.ts'
import { messages as inbox } from '#features/inbox/messages.ts'
import { messages as jobs } from '#features/jobs/messages.ts'
import { messages as keys } from '#features/keys/messages.ts'
import { messages as leadership } from '#features/leadership/messages.ts'
import { messages as needs } from '#features/needs/messages.ts'
import { messages as nodes } from '#features/nodes/messages.ts'
import { messages as notes } from '#features/notes/messages.ts'
import { messages as proposals } from '#features/proposals/messages.ts'
import { messages as push } from '#features/push/messages.ts'
import { messages as questions } from '#features/questions/messages.ts'
import { messages as runs } from '#features/runs/messages.ts'
import { messages as search } from '#features/search/messages.ts'
import { messages as settings } from '#features/settings/messages.ts'
import { messages as tasks } from '#features/tasks/messages.ts'
import { messages as views } from '#features/views/messages.ts'
import { messages as workers } from '#features/workers/messages.ts'
import { messages as zones } from '#features/zones/messages.ts'
import { compileMessages } from '#lib/i18n/compile.ts'
import type { Locale } from '#lib/i18n/locales.ts'
import { messages as shared } from '#lib/i18n/messages.ts'
import { messages as shell } from './messages.ts'

/** The messages of every room; a room adds its line here. Read on the server only: the browser gets one language. */
const ROOMS = {
  agents,
  alerts,
  api,
  approvalRules,
  artifacts,
  audit,
  auth,
  inbox,
  jobs,
  keys,
  needs,
  nodes,
  leadership,
  notes,
  proposals,
  push,
  questions,
  runs,
  search,
  settings,
  shell,
  tasks,
  views,
  workers,
  zones,
}

/** All messages of one language, by namespace, parsed for the browser. */
export function messagesOf(locale: Locale): Record<string, unknown> {
  const rooms = Object.entries(ROOMS).map(([room, both]) => [room, compileMessages(both[locale])] as const)
  return { ...compileMessages(shared[locale]), ...Object.fromEntries(rooms) }
}
