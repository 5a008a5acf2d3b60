/**
 * A worker for the crash tests, in a process of its own: it works on runs until the named point is reached, where it ends
 * itself with SIGKILL, or until it is ended from outside. Arguments: database url, folder, failpoint, holder.
 */
import { handOverRuns } from '../hand-over-runs.ts'
import { RunSupervisor } from '../run-supervisor.ts'
import { openKit } from './run-kit.ts'

const [url = '', folder = '', failpoint = '', holder = ''] = process.argv.slice(2)
const kit = await openKit({
  url,
  folder,
  holder,
  failpoint: (name) => {
    if (name === failpoint) process.kill(process.pid, 'SIGKILL')
  },
})
const supervisor = new RunSupervisor(kit, { capacity: 10 })
for (;;) {
  await supervisor.heartbeat()
  await handOverRuns(kit)
  await supervisor.tick()
  await kit.pause(20)
}
