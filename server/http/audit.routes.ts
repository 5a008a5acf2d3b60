import { auditExportInput } from '#contracts/audit.contract.ts'
import { exportAudit } from '#server/audit/export-audit.ts'
import { type Route, route } from './route.ts'

const TYPES = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

/** Exports of the audit: streams, so no operation. */
export const auditRoutes: Route[] = [
  route({
    at: 'GET /api/v1/audit/export',
    policy: { action: 'audit.read' },
    summary: 'Export a range of events as JSON Lines or CSV, with hashes, signed manifest and signed head',
    tag: 'Audit',
    input: auditExportInput,
    output: null,
    run: async ({ services, caller }, input) => {
      const exported = await exportAudit(services, input, caller)
      if (!exported.ok) return exported
      return new Response(exported.value, {
        headers: {
          'content-type': TYPES[input.format],
          'content-disposition': `attachment; filename="audit.${input.format}"`,
          'cache-control': 'no-store',
        },
      })
    },
  }),
]
