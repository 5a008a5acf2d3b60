import { setTimeout as pause } from 'node:timers/promises'
import type { AgentLog, LineLimit } from './agent-log.ts'
import { beatDelay } from './beat-delay.ts'
import { type BeatSource, beatRound, type LastAnswers, type Missed } from './beat-round.ts'
import type { BeatTarget } from './send-beat.ts'

/**
 * The heartbeat loop [edge#heartbeats]: a round at once, then one every interval, later after failed ones. It ends with `stopped`, in the middle of
 * a round too. After a refusal of the key the next round takes it from the settings as they are then. A refusal or a silence of one kind is one line a minute; that the control plane answers again is one line.
 */
type Beating = {
  source: BeatSource
  /** Null without a key: nobody beats then, and one line says which variable to set. */
  target: BeatTarget | null
  /** Reads the settings again: the key may have been rotated in them since. Null when they cannot be read or hold none. */
  renewTarget: () => BeatTarget | null
  intervalSeconds: number
  lastAnswers: LastAnswers
  log: AgentLog
  lines: LineLimit
  random?: () => number
}

export async function keepBeating(beating: Beating, stopped: AbortSignal): Promise<void> {
  const { source, intervalSeconds, lastAnswers, log, random = Math.random } = beating
  let { target } = beating
  if (target === null)
    return log(
      'WARNING',
      'heartbeats are off: set MEMBRIDGE_NODE_KEY, or MEMBRIDGE_SERVER_ADMIN_KEY (or MEMBRIDGE_ADMIN_KEY), and restart the agent',
    )
  for (let failed = 0; !stopped.aborted; ) {
    const missed = await beatRound(source, { target, lastAnswers, stopped })
    if (stopped.aborted) return
    report(beating, missed, failed)
    if (missed.some(({ status }) => status === 401)) target = beating.renewTarget() ?? target
    failed = missed.length > 0 ? failed + 1 : 0
    const seconds = beatDelay({ intervalSeconds, failed, random: random() })
    await pause(seconds * 1000, undefined, { signal: stopped }).catch(() => {})
  }
}

function report({ log, lines }: Beating, missed: Missed[], failedBefore: number): void {
  if (missed.length === 0 && failedBefore > 0)
    log('INFO', 'heartbeats are answered again', { failed_rounds: failedBefore })
  for (const { canonicalId, status, why } of missed) {
    const suppressed = lines.admit(`beat ${status ?? why}`)
    if (suppressed === null) continue
    log('WARNING', `heartbeat failed: ${why}`, { status, canonical_id: canonicalId, repeats: suppressed })
  }
}
