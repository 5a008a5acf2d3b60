import type { Reads } from './prisma.ts'

/** The same reads under a database role, each in a read-only transaction of its own: what the role may not SELECT fails. */
export function readsAs(reads: Reads, role: () => Promise<string>): Reads {
  const scoped = reads.$extends({
    query: {
      $allOperations: async ({ args, query }) => {
        const name = await role()
        const [, rows] = await reads.$transaction([
          reads.$executeRaw`SELECT set_config('transaction_read_only', 'on', true), set_config('role', ${name}, true)`,
          query(args) as ReturnType<typeof reads.$queryRaw>,
        ])
        return rows
      },
    },
  })
  return scoped as unknown as Reads
}
