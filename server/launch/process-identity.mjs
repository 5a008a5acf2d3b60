import fs from 'node:fs'

/**
 * Whether a process with this id lives (whoever owns it).
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * When the process began, in clock ticks since boot (field 22 of stat; the name in field 2 may hold spaces and brackets). With the
 * id it names one process since the machine began. Empty where the system does not say, and for a process that has ended.
 * @param {number} pid
 * @returns {string}
 */
export function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
