import { z } from 'zod'
import type { LeftOutView } from '#contracts/note.contract.ts'
import { pathFault } from '#domain/garden/garden-path.ts'
import { byReason, IMPORT_REPORT, LEFT_OUT_REASONS, type LeftOut } from '#domain/garden/left-out.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

const NAMES = 200
const importReport = z.object({
  left_out: z.array(z.object({ path: z.string(), reason: z.enum(LEFT_OUT_REASONS) })),
  not_named: z.number().default(0),
})

/**
 * What an import or a push gave and the garden does not show, by reason ([garden#left-out]): the import's own report, without what is there
 * by now, and at the head whatever is no plain file under a garden path.
 */
export async function leftOut(garden: GitRepository): Promise<LeftOutView> {
  const revision = await garden.head()
  const [report, others, files] = await Promise.all([
    garden.read(IMPORT_REPORT, revision),
    garden.others(revision),
    garden.list(revision),
  ])
  const imported = parseReport(report?.text)
  const there = new Set(files.map(({ path }) => path))
  const pushed = files.flatMap(({ path }): LeftOut[] => {
    const reason = pathFault(path)
    return reason ? [{ path, reason }] : []
  })
  const all = [...imported.left_out.filter(({ path }) => !there.has(path)), ...others, ...pushed]
  return {
    revision,
    total: all.length + imported.not_named,
    not_named: imported.not_named,
    reasons: byReason(all, NAMES),
  }
}

/** A report that somebody changed by hand is none. */
function parseReport(text: string | undefined): z.infer<typeof importReport> {
  try {
    return importReport.parse(JSON.parse(text ?? '{"left_out":[]}'))
  } catch {
    return { left_out: [], not_named: 0 }
  }
}
