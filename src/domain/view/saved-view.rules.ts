/** The lists whose filters can be saved, with their addresses. */
export const VIEW_LISTS = {
  inbox: '/inbox',
  proposals: '/proposals',
  runs: '/runs',
  jobs: '/jobs',
  tasks: '/tasks',
  artifacts: '/artifacts',
  notes: '/notes',
  nodes: '/nodes',
  audit: '/audit',
} as const
export type ViewList = keyof typeof VIEW_LISTS

/** Views of one list that an account may keep. */
export const MAX_VIEWS = 20
export const MAX_VIEW_NAME = 60
