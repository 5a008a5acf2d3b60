import type { Row } from '#server/ledger/rows.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    agent: {
      definition: Record<string, unknown>
      problems: unknown[]
      error: { code: string; message: string; run_ids: string[] } | null
    }
  }
}

export type AgentRow = Row<'agent'>
