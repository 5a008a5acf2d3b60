/**
 * What the agent of a node answers to a push or a pull, as existing agents do. Only `ok` must be there: a field of another form counts as
 * absent, unknown ones are left out. Nothing of it is trusted further than as text, values under names of secrets are masked, and of a long text
 * only a part is looked at.
 */
import { z } from 'zod'
import { firstWords, lastLines, withoutAssigned } from '#domain/membridge/sync.rules.ts'

const INT4 = 2 ** 31 - 1

const text = (part: (text: string) => string) =>
  z
    .union([z.string(), z.array(z.string()).transform((lines) => lines.join('\n'))])
    .transform((whole) => withoutAssigned(part(whole)))
    .optional()
    .catch(undefined)

const nodeReport = z.object({
  ok: z.boolean(),
  detail: text(firstWords),
  stdout: text(lastLines),
  stderr: text(lastLines),
  returncode: z.number().int().min(-INT4).max(INT4).optional().catch(undefined),
  dryrun: z.boolean().optional().catch(undefined),
})
export type NodeReport = z.infer<typeof nodeReport>

/** The report in the body of an answer, or null when it is none. */
export function readNodeReport(body: Buffer): NodeReport | null {
  const read = nodeReport.safeParse(jsonOf(body))
  return read.success ? read.data : null
}

/** The `detail` of a refusal, or null. */
export function detailIn(body: Buffer): string | null {
  const read = z.object({ detail: z.string().min(1) }).safeParse(jsonOf(body))
  return read.success ? withoutAssigned(firstWords(read.data.detail)) : null
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
