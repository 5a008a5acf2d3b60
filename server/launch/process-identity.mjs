import fs from 'node:fs'

/** States of a process that has ended: waiting for its parent to ask, and on its way out. */
const ENDED = ['Z', 'X', 'x']

/**
 * Whether a process with this id lives (whoever owns it). One that has ended and is not yet reaped by its parent does not.
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  return !ENDED.includes(statOf(pid)[0] ?? '')
}

/**
 * When the process began, in clock ticks since boot (field 22 of stat; the name in field 2 may hold spaces and brackets). With the
 * id it names one process since the machine began. Empty where the system does not say, and for a process that has ended.
 * @param {number} pid
 * @returns {string}
 */
export function startOf(pid) {
  const fields = statOf(pid)
  return ENDED.includes(fields[0] ?? '') ? '' : (fields[19] ?? '')
}

/**
 * Sends a signal to a process, or to a group by its negative id, that may have ended in the meantime: then nothing happens.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalIfAlive(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** What the system says of a process, from its state on; nothing where it does not say. */
function statOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
