import { vi } from 'vitest'
import type { Database } from '../database.ts'

type Asked = { text: string; values: unknown[] }

/** The plans of what `work` asks over this pool, each as PostgreSQL would carry it out now. */
export async function plansOf(
  { pool }: Pick<Database, 'pool'>,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const query = vi.spyOn(pool, 'query')
  await work()
  const asked = query.mock.calls.map(([statement]) => statement as unknown as Asked)
  query.mockRestore()
  const plans = asked.map(async ({ text, values }) => {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values })
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  return Promise.all(plans)
}
