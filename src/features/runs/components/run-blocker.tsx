import type { RunRow } from '#contracts/run.contract.ts'
import { Link } from '#ui/link.tsx'

/** The run that another one waits for, linked; nothing where it waits for something else. */
export function Blocker({ run }: { run: Pick<RunRow, 'wait_blocker'> }) {
  if (!run.wait_blocker) return null
  return (
    <>
      {' '}
      <Link href={`/runs/${run.wait_blocker}`} className="font-mono">
        {run.wait_blocker.slice(-6)}
      </Link>
    </>
  )
}
