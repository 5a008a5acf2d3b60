import { recordListExport } from '#server/audit/export-audit.ts'
import { EXPORT_TYPES, type ExportFormat, exportInput, exportList } from '#server/exports/export-list.ts'
import type { Operation } from '#server/operations/operation.ts'
import { policyOf } from '#server/operations/policy-of.ts'
import { type Route, route } from './route.ts'

/** The lists that can be exported, and where: names of their read operations. */
const EXPORTED = {
  'proposals.list': '/api/v1/proposals',
  'jobs.list': '/api/v1/jobs',
  'runs.list': '/api/v1/runs',
  'tasks.list': '/api/v1/tasks',
  'artifacts.list': '/api/v1/artifacts',
  'alerts.list': '/api/v1/alerts',
  'inbox.list': '/api/v1/inbox/entries',
  'audit.list': '/api/v1/audit/events',
} as const satisfies Record<string, `/${string}`>

/** Exports of the lists among these operations: streams, so no operations of their own. */
export const exportRoutes = (operations: readonly Operation[]): Route[] =>
  Object.entries(EXPORTED).map(([name, path]) => {
    const list = operations.find((one) => one.name === name)
    if (!list) throw new Error(`there is no list ${name}`)
    return exportRoute(list, path)
  })

function exportRoute(list: Operation, path: `/${string}`): Route {
  const room = list.name.split('.')[0] ?? ''
  return route({
    at: `GET ${path}/export`,
    policy: policyOf(list),
    summary: `Export the rows of a filter as JSON Lines or CSV: ${list.summary.toLowerCase()}`,
    tag: list.tag,
    input: exportInput(list),
    output: null,
    run: async (ctx, input) => {
      const asked = input as { format: ExportFormat }
      const exported = await exportList(list, ctx, asked)
      if (!exported.ok) return exported
      if (list.name === 'audit.list') await recordListExport(ctx.services, asked, ctx.caller)
      return new Response(exported.value, {
        headers: {
          'content-type': EXPORT_TYPES[asked.format],
          'content-disposition': `attachment; filename="${room}.${asked.format}"`,
          'cache-control': 'no-store',
        },
      })
    },
  })
}
